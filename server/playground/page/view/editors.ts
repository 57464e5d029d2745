/** What is loaded after the first answer: the editors, and the dialogs about the code in them. It is half of the page. */
export { CodeCommands } from '../editor/code-commands.js'
export { ContentEditor } from '../editor/content-editor.js'
export { EventEditor } from '../editor/event-editor.js'
export { languageOf } from '../editor/language.js'
export { CodeDialogs } from './code-dialogs.js'
