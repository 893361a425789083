/** In a task of its own, before what else the page has to do. */
export function soon(act: () => void): void {
  if ("scheduler" in window) void scheduler.postTask(act, { priority: "user-blocking" });
  else setTimeout(act); // WebKit
}

declare const scheduler: { postTask(act: () => void, options: { priority: "user-blocking" }): Promise<void> };
