/** The first script of the page. It starts the worker before anything else is loaded, because the engine is the largest part, and shows the page in its colours. */
import { chosenLocale, chosenTheme, showTheme } from './model/choices.js'

const root = document.getElementById('playground') as HTMLElement
const address = new URL(root.dataset.worker as string, document.baseURI).href
/** Its name is the language whose texts it loads beside the engine. */
const startWorker = (): Worker => new Worker(address, { type: 'module', name: chosenLocale() })
const worker = startWorker()
showTheme(chosenTheme())
const { start } = await import('./main.js')
await start(root, startWorker, worker)
