/** The hint about an event that is not a log but a record about one. */
import type { Locale } from '../diagnostics/text.js'
import { insideOf, type Wrapper } from './unwrap.js'

const ENGLISH = {
  kinds: {
    archives_log: (prefix: string) => `The event is a line of archives.log${prefix === '' ? '' : `: Wazuh has put "${prefix}" in front of the log`}.`,
    archives_json: () => 'The event is a line of archives.json, a record of Wazuh about a log.',
    alerts_json: () => 'The event is a line of alerts.json or archives.json, a record of Wazuh about a log.',
    alerts_log: () => 'The event belongs to an entry of alerts.log, a record of Wazuh about a log.',
    decoded_windows: () => 'The event is a decoded Windows event, as archives.json has it in full_log.',
    full_log: () => 'The event is the member full_log of an alert, with its name.',
    logtest_output: () => 'The event is a line of the output of wazuh-logtest.',
    json_lines: () => 'The event is a line in the form {"event", "location", …}, which is for JSON lines.',
    quotes: () => 'The event is in quotes, which are not part of the log.',
    escaped_json: () => 'The event has JSON with escaped quotes, as it stands in a text of other JSON.',
  },
  obstacles: {
    frame: 'This line is not the log.',
    module: 'The event came from a module of Wazuh, which keeps its own database; there is no log that could be run.',
  },
  decoded: 'It has only the decoded fields, not the log that arrived, which is what decoders get.',
  run: 'Decoders and rules of a manager get only the log inside.',
  runFrom: (location: string) => `Decoders and rules of a manager get only the log inside, from ${location}.`,
}

const WORDS: Readonly<Record<Locale, typeof ENGLISH>> = {
  'en-US': ENGLISH,
  'pt-BR': {
    kinds: {
      archives_log: (prefix) => `O evento é uma linha do archives.log${prefix === '' ? '' : `: o Wazuh pôs "${prefix}" na frente do log`}.`,
      archives_json: () => 'O evento é uma linha do archives.json, um registro do Wazuh sobre um log.',
      alerts_json: () => 'O evento é uma linha do alerts.json ou do archives.json, um registro do Wazuh sobre um log.',
      alerts_log: () => 'O evento pertence a uma entrada do alerts.log, um registro do Wazuh sobre um log.',
      decoded_windows: () => 'O evento é um evento do Windows decodificado, como o archives.json o tem em full_log.',
      full_log: () => 'O evento é o membro full_log de um alerta, com o nome.',
      logtest_output: () => 'O evento é uma linha da saída do wazuh-logtest.',
      json_lines: () => 'O evento é uma linha na forma {"event", "location", …}, que serve para linhas JSON.',
      quotes: () => 'O evento está entre aspas, que não fazem parte do log.',
      escaped_json: () => 'O evento tem JSON com aspas escapadas, como aparece em um texto de outro JSON.',
    },
    obstacles: {
      frame: 'Esta linha não é o log.',
      module: 'O evento veio de um módulo do Wazuh, que mantém um banco de dados próprio; não há um log que possa ser executado.',
    },
    decoded: 'Ele tem só os campos decodificados, não o log que chegou, que é o que os decoders recebem.',
    run: 'Os decoders e as regras de um manager recebem só o log que está dentro.',
    runFrom: (location) => `Os decoders e as regras de um manager recebem só o log que está dentro, vindo de ${location}.`,
  },
}

/** One sentence for each wrapper, from the outside to the inside, and what can be run. */
export function describeWrapper(wrapper: Wrapper, locale: Locale): string {
  const { kinds, obstacles, decoded, run, runFrom } = WORDS[locale]
  const sentences: string[] = []
  let last = wrapper
  for (let at: Wrapper | null = wrapper; at !== null; at = at.inner) {
    sentences.push(kinds[at.kind](at.prefix.trimEnd()))
    last = at
  }
  // The inside is not asked for: it would be made.
  if (last.isDecoded) return [...sentences, decoded].join(' ')
  if (last.obstacle !== null && last.obstacle !== 'fields') sentences.push(obstacles[last.obstacle])
  const inside = insideOf(wrapper)
  if (inside !== null) sentences.push(inside.location === undefined ? run : runFrom(inside.location))
  return sentences.join(' ')
}
