/** The first script of the page. It starts the worker before anything else is loaded, because the engine is the largest part. */
const root = document.getElementById('playground') as HTMLElement
const workerAddress = new URL(root.dataset.worker as string, document.baseURI).href
const worker = new Worker(workerAddress, { type: 'module' })
const { start } = await import('./main.js')
await start(root, workerAddress, worker)
