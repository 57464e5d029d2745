/** The table of tips, in the order in which they are told. A tip is one file: when it applies, and its text in every language. */
import type { Locale } from '../diagnostics/text.js'
import type { Run, Tip } from './tip.js'

export const TIPS: readonly Tip[] = []

const DROPPED: Readonly<Record<Locale, string>> = {
  'en-US':
    'The event is no Windows eventchannel event, so Wazuh drops it: it must be JSON with the members "Event" (the XML of the event) and "Message", or the XML of one event as Event Viewer shows it.',
  'pt-BR':
    'O evento não é um evento do Windows eventchannel, por isso o Wazuh o descarta: é preciso um JSON com os membros "Event" (o XML do evento) e "Message", ou o XML de um evento como o Visualizador de Eventos mostra.',
}

/** Tips about one run, in the caller's language. */
export function describeInsights(run: Run, locale: Locale): string[] {
  if (run.kind === 'dropped') return [DROPPED[locale]]
  const told: string[] = []
  for (const tip of TIPS) {
    const values = tip.applies(run)
    if (values !== null) told.push(tip.text[locale](values))
  }
  return told
}
