// Two workers, or one where there is one core, that take jobs from a list.

import type { Experiment } from "./train.ts";
import type { Job, Report } from "./worker.ts";

/** The script of a worker; build.mjs puts it here. */
declare const WORKER_SCRIPT: string;

const SILENT = 20; // seconds without a report: at least so many, and ten times as many as ever, mean that it hangs

let address: string | undefined;

const made = (): Worker =>
  new Worker((address ??= URL.createObjectURL(new Blob([WORKER_SCRIPT], { type: "text/javascript" }))));

export interface Listener {
  heard(report: Report): void;
  /** A worker died, or hangs, and its job begins again; the second time it is given up. */
  died(job: Job, again: boolean): void;
  /** Nothing is left to do. */
  idle(): void;
}

export class Pool {
  /** How many jobs are done at once. */
  static readonly size = Math.min(2, navigator.hardwareConcurrency || 1);
  #listener: Listener;
  #waiting: Job[] = [];
  #at_work = new Map<Worker, Job>();
  #died = new Set<string>();
  #longest = 0; // seconds between two reports

  /** Of another experiment it trains what begins after it was set. */
  constructor(
    public experiment: Experiment,
    listener: Listener,
  ) {
    this.#listener = listener;
  }

  get busy(): boolean {
    return this.#at_work.size > 0;
  }

  /** These jobs, in their order, and no others: what is at work goes on if it is among them. */
  run(jobs: Job[]): void {
    const name = ({ arm, seed }: Job) => `${arm} ${seed}`;
    const wanted = new Set(jobs.map(name));
    for (const [worker, job] of this.#at_work) if (!wanted.has(name(job))) this.#dismiss(worker);
    const at_work = new Set([...this.#at_work.values()].map(name));
    this.#waiting = jobs.filter((job) => !at_work.has(name(job)));
    while (this.#waiting.length && this.#at_work.size < Pool.size) this.#next(this.#hire());
  }

  stop(): void {
    this.run([]);
    this.#died.clear();
  }

  #hire(): Worker {
    const worker = made();
    let silent = 0; // counted, not read off a clock: while a page is frozen, or the device sleeps, nobody reports
    const clock = setInterval(() => {
      if (!this.#at_work.has(worker)) clearInterval(clock);
      else if (++silent > Math.max(SILENT, 10 * this.#longest)) this.#lost(worker);
    }, 1000);
    worker.onmessage = ({ data }: MessageEvent<Report>) => {
      this.#longest = Math.max(this.#longest, silent);
      silent = 0;
      if (data.end) this.#at_work.delete(worker);
      this.#listener.heard(data);
      if (data.end) this.#next(worker);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.#lost(worker);
    };
    return worker;
  }

  #next(worker: Worker): void {
    const job = this.#at_work.size < Pool.size ? this.#waiting.shift() : undefined;
    if (!job) {
      worker.terminate();
      if (!this.busy) this.#listener.idle();
      return;
    }
    this.#at_work.set(worker, job);
    worker.postMessage({ experiment: this.experiment, job });
  }

  #lost(worker: Worker): void {
    const job = this.#at_work.get(worker);
    this.#dismiss(worker);
    if (!job) return;
    const name = `${job.arm} ${job.seed}`;
    const again = !this.#died.has(name);
    this.#died.add(name);
    if (again) this.#waiting.unshift(job);
    this.#listener.died(job, again);
    this.#next(this.#hire());
  }

  #dismiss(worker: Worker): void {
    worker.onmessage = worker.onerror = null;
    worker.terminate();
    this.#at_work.delete(worker);
  }
}
