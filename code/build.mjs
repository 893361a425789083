// Builds what labs need wherever they are: bundle/labs.js (an IIFE with the global name WhyformerLabs, so that a classic
// script and, with one more line, an ES module are the same file), labs.css and type.css; still.js and picture.css, with
// which Python draws the same pictures without a document; LICENSES.txt, what all of it contains. And into bundle/pages
// what pages of the site load besides, and a notebook never: lesson.js and lesson.css, when a page is taught; phone.js
// and phone.css, the page of phones in a room; search.js and search.css, when it is searched; workbench.js and
// workbench.css, where models are trained; cards.js and cards.css, for cards to practise; and the small scripts of
// page/. Usage: node build.mjs [output folder]

import { build, transform } from "esbuild";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(fileURLToPath(import.meta.url));
const source = join(root, "whyformer");
const out = process.argv[2] ? process.argv[2] : join(source, "bundle");

/** Scripts of pages that do their work when they are loaded: name in bundle/pages to the source. */
const AT_ONCE = {
  cards: "cards/main.ts",
  phone: "classroom/phone.ts",
  "search-button": "search/button.ts",
  contents: "page/contents.ts",
  front: "page/front.ts",
  later: "page/later.ts",
  map: "page/map.ts",
  print: "page/print.ts",
  progress: "page/progress.ts",
  terms: "page/terms.ts",
  ticks: "page/ticks.ts",
};

/** Style sheets of pages, likewise. */
const SHEETS = {
  cards: "cards/cards.css",
  lesson: "slides/lesson.css",
  phone: "classroom/phone.css",
  search: "search/search.css",
  workbench: "workbench/workbench.css",
};

/** Every questions/<room>/<lab>_lab.ts registers itself under "<room>/<lab>"; there is no list to keep. */
async function registered() {
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
  return `import { labs } from "./lab/registry.ts";\n${lines.join("\n")}\n`;
}

const read = (name) => readFile(join(source, "lab", name), "utf8");
const minified = async (css) => (await transform(css, { loader: "css", minify: true })).code;

/** Where a page, JupyterLab and VS Code say that they are dark. */
const DARK = '[data-theme="dark"],[data-jp-theme-light="false"],.vscode-dark';

/** The colours of each theme. A picture by itself asks the reader's system whether it is dark; on a page the page's own
    colours go first. Where a reader's own few colours are forced on pages, text and paper are these, light or dark, and
    marks have a shade that is seen on white and on black. */
async function palette(is_alone) {
  const { light, dark, forced } = JSON.parse(await read("picture/palette.json"));
  const rule = (where, colours) => {
    const named = Object.entries(colours).map(([name, hex]) => `--wf-${name}:${hex}`);
    return `${where}{${named.join(";")}}`;
  };
  return is_alone
    ? `${rule(":where(:root)", light)}@media (prefers-color-scheme:dark){${rule(":where(:root)", dark)}}`
    : rule(":root,:host", light) +
        rule(DARK, dark) +
        `@media (forced-colors:active){${rule(`:root,:host,${DARK}`, forced)}}`;
}

const packages = new Set(); // what the bundles contain

/** `define`: constants that the sources declare and that get their values here. */
async function bundle(name, globalName, contents, define = {}) {
  const { metafile } = await build({
    define,
    stdin: { contents, resolveDir: source, sourcefile: "entry.ts", loader: "ts" },
    outfile: join(out, `${name}.js`),
    bundle: true,
    minify: true,
    format: "iife",
    globalName,
    target: "es2022",
    charset: "utf8",
    loader: { ".wasm": "binary" },
    legalComments: "none",
    banner: { js: `/* Part of Whyformer. What it contains of others: LICENSES.txt. */` },
    metafile: true,
    absWorkingDir: root,
  });
  for (const input of Object.keys(metafile.inputs)) {
    const inside = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1];
    if (inside) packages.add(inside);
  }
}

/** The script of a worker by itself, as text. */
async function script_of(file) {
  const { outputFiles } = await build({
    entryPoints: [join(source, file)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    loader: { ".wasm": "binary" },
    absWorkingDir: root,
  });
  return outputFiles[0].text;
}

async function licence(name) {
  const folder = join(root, "node_modules", name);
  const file = (await readdir(folder)).find((one) => /^licen[cs]e/i.test(one));
  return `---- ${name}\n${(await readFile(join(folder, file), "utf8")).trim()}\n`;
}

await mkdir(out, { recursive: true });
const labs = await registered();
await bundle(
  "labs",
  "WhyformerLabs",
  `${labs}import { start } from "./lab/host/main.ts";\nstart();\nexport * from "./lab/host/main.ts";\n`,
);
await bundle("still", "WhyformerStill", `${labs}export * from "./lab/host/still.ts";\n`);
await bundle("pages/lesson", "WhyformerLesson", `export * from "./slides/main.ts";\n`);
await bundle("pages/search", "WhyformerSearch", `export * from "./search/main.ts";\n`);
await bundle("pages/workbench", "WhyformerWorkbench", `export * from "./workbench/bench.ts";\n`, {
  WORKER_SCRIPT: JSON.stringify(await script_of("workbench/worker.ts")),
});
for (const [name, file] of Object.entries(AT_ONCE)) await bundle(`pages/${name}`, undefined, `import "./${file}";\n`);
const sheets = await Promise.all(["host/lab.css", "teach/teach.css", "picture/picture.css"].map(read));
await writeFile(join(out, "labs.css"), await minified([await palette(), ...sheets].join("\n")));
for (const [name, file] of Object.entries(SHEETS))
  await writeFile(join(out, "pages", `${name}.css`), await minified(await read(`../${file}`)));
await writeFile(join(out, "type.css"), await minified(await read("picture/type.css")));
const alone = [await palette(true), await read("picture/picture.css"), ".wf-picture{background:var(--wf-paper)}"];
await writeFile(join(out, "picture.css"), await minified(alone.join("\n")));
const licences = await Promise.all([...packages].sort().map(licence));
await writeFile(join(out, "LICENSES.txt"), ["Licences of what the scripts here contain.\n", ...licences].join("\n"));
console.log(`wrote ${relative(process.cwd(), out) || "."}`);
