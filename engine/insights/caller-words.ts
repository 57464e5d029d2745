/** How hints name what their reader sets: members of a request, or options of the command line, or switches of a page. */
import type { Localized } from '../diagnostics/text.js'
import type { Caller } from './own-content.js'

interface CallerWords {
  /** Sends events in one session. */
  readonly session: Localized
  /** Where every decision is listed. */
  readonly trace: Localized
  /** Sets the location of an event. */
  readonly location: Localized
}

const OF_REQUESTS: CallerWords = {
  session: {
    'en-US': 'Send them with the same session_id: without one every event starts a new session.',
    'pt-BR': 'Envie-os com o mesmo session_id: sem ele, cada evento começa uma nova sessão.',
  },
  trace: { 'en-US': 'in the trace', 'pt-BR': 'no trace' },
  location: { 'en-US': 'location', 'pt-BR': 'location' },
}

export const WORDS_OF: Readonly<Record<Caller, CallerWords>> = {
  service: OF_REQUESTS,
  'json-lines': OF_REQUESTS,
  'command-line': {
    session: {
      'en-US': 'Run them with --session: without it every event starts a new session.',
      'pt-BR': 'Execute-os com --session: sem ele, cada evento começa uma nova sessão.',
    },
    trace: { 'en-US': 'in the output of --trace', 'pt-BR': 'na saída de --trace' },
    location: { 'en-US': '--location', 'pt-BR': '--location' },
  },
  playground: {
    ...OF_REQUESTS,
    session: {
      'en-US': 'Turn the session on: without it every event starts a new one.',
      'pt-BR': 'Ative a sessão: sem ela, cada evento começa uma nova.',
    },
  },
}
