/** The entry of the language server, for the command line and for pages. Nothing that it loads needs Node. */
export type { CaseText, ComparedItem, ContentFolder, FolderFile, Measurement, PlacedCase } from './content/content-folder.js'
export { baseNameOf, kindOfContent, kindOfFolder, looksLikeContent, nameInRuleset } from './content/file-kind.js'
export { connect } from './connect.js'
export { LanguageServer, type LanguageServerOptions } from './server.js'
export { Positions } from './text/positions.js'
