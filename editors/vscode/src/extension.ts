// Starts `ifs lsp` and shows what `ifs` prints of a scenario beside the editor.

import { execFile } from "node:child_process";
import * as path from "node:path";
import { commands, ExtensionContext, Uri, ViewColumn, WebviewPanel, window, workspace } from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

function setting<T>(name: string, otherwise: T): T {
  return workspace.getConfiguration("ifs").get<T>(name) ?? otherwise;
}

async function start(): Promise<void> {
  const run = { command: setting("program", "ifs"), args: ["lsp"] };
  client = new LanguageClient("ifs", "ifs", { run, debug: run }, {
    documentSelector: [
      { language: "ifs" },
      // Templates and banks have diagnostics at their own places.
      { scheme: "file", pattern: "**/*.{j2,jsonl,json,yaml,yml,csv}" },
    ],
    synchronize: { fileEvents: workspace.createFileSystemWatcher("**/*.{ifs,j2,jsonl,json,yaml,yml,csv}") },
  });
  await client.start();
}

/** The standard output of a command of ifs, or its diagnostics. */
function output(args: string[], folder: string): Promise<string> {
  return new Promise((done) => {
    const options = { cwd: folder, maxBuffer: 1 << 28 };
    execFile(setting("program", "ifs"), ["--color", "never", ...args], options, (error, stdout, stderr) => {
      done(error === null ? stdout : stderr || String(error));
    });
  });
}

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
}

/** A panel beside the editor, filled again when a file is saved. */
class SidePanel {
  private panel: WebviewPanel | undefined;

  constructor(private readonly title: string, private readonly fill: (file: string) => Promise<string>) {}

  async show(file: string): Promise<void> {
    this.panel?.dispose();
    const title = `${this.title}: ${path.basename(file)}`;
    const panel = window.createWebviewPanel("ifs", title, ViewColumn.Beside, { enableScripts: true });
    this.panel = panel;
    const renew = async () => {
      panel.webview.html = await this.fill(file);
    };
    const saved = workspace.onDidSaveTextDocument(renew);
    panel.onDidDispose(() => {
      saved.dispose();
      this.panel = undefined;
    });
    await renew();
  }
}

/** A page, or a text where `ifs` printed diagnostics instead. */
function page(text: string): string {
  return text.startsWith("<!") ? text : `<!doctype html><pre style="white-space: pre-wrap">${escaped(text)}</pre>`;
}

function command(name: string, ...args: string[]): (file: string) => Promise<string> {
  return async (file) => page(await output([name, file, ...args], path.dirname(file)));
}

/** The dialogue that a lens names. */
function named(dialogue: string | undefined): string[] {
  return dialogue === undefined ? [] : ["-d", dialogue];
}

function current(file: string | undefined): string | undefined {
  return file ?? window.activeTextEditor?.document.uri.fsPath;
}

export async function activate(context: ExtensionContext): Promise<void> {
  const add = (name: string, run: (file: string, item?: string) => Promise<void>) => {
    const handler = async (file?: string | Uri, item?: string) => {
      const chosen = current(file instanceof Uri ? file.fsPath : file);
      if (chosen !== undefined) {
        await run(chosen, typeof item === "string" ? item : undefined);
      }
    };
    context.subscriptions.push(commands.registerCommand(name, handler));
  };
  const seed = () => ["--seed", String(setting("seed", 1))];
  const draw = (file: string, item?: string) =>
    new SidePanel("Dialogue", command("draw", ...named(item), ...seed())).show(file);
  const preview = (file: string) => new SidePanel("Preview", command("preview")).show(file);
  add("ifs.draw", draw);
  add("ifs.showDraw", draw);
  add("ifs.preview", preview);
  add("ifs.showPreview", preview);
  add("ifs.prove", (file, item) => new SidePanel("Witness", command("prove", ...named(item))).show(file));
  add("ifs.test", (file) => new SidePanel("Tests", command("test")).show(file));
  context.subscriptions.push(
    commands.registerCommand("ifs.restart", async () => {
      await client?.stop();
      await start();
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
