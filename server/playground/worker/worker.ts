/** The entry of the Web Worker: it asks for the engine and, beside it, for what the engine asks for first. Its name is the language of the page. */
export type {}

/** What has arrived before the engine. */
const early: MessageEvent[] = []
self.onmessage = (message) => void early.push(message)

// What cannot be loaded now is asked for again when it is needed.
for (const loading of [import('playground:reference'), self.name === 'pt-BR' ? import('playground:texts/pt-BR') : import('playground:texts/en-US')]) loading.catch(() => {})
import('./start.js').then(
  ({ start }) => start(self, early),
  (error: unknown) =>
    // The page is told of errors that nobody catches.
    setTimeout(() => {
      throw error
    }),
)
