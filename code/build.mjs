// Builds bundle/labs.js (an IIFE with the global name WhyformerLabs, so that a classic script and, with one more line,
// an ES module are the same file) and bundle/labs.css. Usage: node build.mjs [output folder]

import { build, transform } from "esbuild";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(fileURLToPath(import.meta.url));
const source = join(root, "whyformer");
const out = process.argv[2] ? process.argv[2] : join(source, "bundle");

/** Every questions/<room>/<lab>_lab.ts registers itself under "<room>/<lab>"; there is no list to keep. */
async function entry() {
  const rooms = await readdir(join(source, "questions"), { withFileTypes: true });
  const lines = [];
  for (const room of rooms
    .filter((r) => r.isDirectory())
    .map((r) => r.name)
    .sort()) {
    for (const file of (await readdir(join(source, "questions", room))).sort()) {
      const lab = /^(\w+)_lab\.ts$/.exec(file)?.[1];
      if (!lab) continue;
      const name = `${room}/${lab}`;
      lines.push(
        `import * as lab${lines.length} from "./questions/${room}/${file}";`,
        `labs.set("${name}", lab${lines.length});`,
      );
    }
  }
  return `import { labs, start } from "./lab/main.ts";\n${lines.join("\n")}\nstart();\nexport * from "./lab/main.ts";\n`;
}

async function style() {
  const palette = JSON.parse(await readFile(join(source, "lab/palette.json"), "utf8"));
  const colours = Object.entries(palette)
    .map(([name, hex]) => `--wf-${name}:${hex}`)
    .join(";");
  const css = await readFile(join(source, "lab/lab.css"), "utf8");
  return (await transform(`:root{${colours}}\n${css}`, { loader: "css", minify: true })).code;
}

await mkdir(out, { recursive: true });
await build({
  stdin: { contents: await entry(), resolveDir: source, sourcefile: "entry.ts", loader: "ts" },
  outfile: join(out, "labs.js"),
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "WhyformerLabs",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  banner: { js: `/* Whyformer labs. Contains lit-html and d3 modules (BSD-3-Clause and ISC licences). */` },
  absWorkingDir: root,
});
await writeFile(join(out, "labs.css"), await style());
console.log(`wrote ${relative(process.cwd(), out) || "."}/labs.js and labs.css`);
