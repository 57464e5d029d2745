/** The extension of VS Code: it starts the language server that is packed with it. `.build/vsix.mjs` bundles this file with its library. */
const { join } = require('node:path')
const vscode = require('vscode')
const { LanguageClient, TransportKind } = require('vscode-languageclient/node')

/** @type {import('vscode-languageclient/node').LanguageClient | null} */
let client = null

exports.activate = async (context) => {
  context.subscriptions.push(
    vscode.commands.registerCommand('detectionContent.restart', () => start(context)),
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('detectionContent') && start(context)),
  )
  await start(context)
}

exports.deactivate = () => client?.stop()

async function start(context) {
  await client?.stop()
  const settings = vscode.workspace.getConfiguration('detectionContent')
  const server = { module: context.asAbsolutePath(join('dist', 'lsp', 'bundle', 'server.mjs')), transport: TransportKind.stdio }
  client = new LanguageClient('detectionContent', 'Detection content', server, {
    // The server leaves XML alone that is neither rules nor decoders.
    documentSelector: [
      { scheme: 'file', language: 'wazuh-rules' },
      { scheme: 'file', language: 'xml' },
    ],
    initializationOptions: { ruleset: settings.get('ruleset'), custom: settings.get('custom'), helpUrl: settings.get('helpUrl'), compareWithHead: settings.get('compareWithHead') },
  })
  await client.start()
}
