/** An own rule tests the host, which is another one for events of agents: their name instead of that of the header (BEHAVIOUR.md#location). */
import type { Localized } from '../../diagnostics/text.js'
import { fromByteString } from '../../source/byte-string.js'
import { WORDS_OF } from '../caller-words.js'
import type { ToldRun } from '../tip.js'
import { defineTip } from '../tip.js'

interface Values {
  readonly rule: number
  readonly holds: boolean
  readonly tag: string
  readonly pattern: string
  readonly isOfAgent: boolean
  /** Null: the header has none. */
  readonly host: string | null
  readonly location: Localized
}

function valuesOf(run: ToldRun): Values | null {
  const { event, caller, near } = run
  const found = near?.decisive('host') ?? null
  if (found === null) return null
  const isOfAgent = event.agentId !== NO_AGENT
  // The test has the host that the event will have.
  if (isOfAgent && found.holds) return null
  return {
    rule: found.rule.id,
    holds: found.holds,
    tag: found.tag,
    pattern: found.pattern,
    isOfAgent,
    host: event.hostname === undefined ? null : fromByteString(event.hostname),
    location: WORDS_OF[caller].location,
  }
}

const NO_AGENT = '000'
const AGENT_LOCATION = '[001] (NAME) any->/var/log/syslog'

export const agentHost = defineTip<Values>({
  id: 'agent-host',
  isOfOwnContent: true,
  applies: valuesOf,
  about: ({ rule, holds }) => `${rule} ${holds}`,
  text: {
    'en-US': ({ rule, holds, tag, pattern, isOfAgent, host, location }) => {
      const verb = holds ? 'depends on' : 'fails only at'
      const subject = `Your rule ${rule} ${verb} ${tag} "${pattern}"`
      if (isOfAgent) return `${subject}: the host of an agent's event is the name of the agent, here "${host ?? ''}", and not the one in the header of the log.`
      const here = host === null ? 'the header has no host, so it is the name of the manager' : `the host is "${host}", from the header of the log`
      return `${subject}. Here ${here}; the host of an agent's event is the name of the agent instead. To test that, set ${location['en-US']} to "${AGENT_LOCATION}".`
    },
    'pt-BR': ({ rule, holds, tag, pattern, isOfAgent, host, location }) => {
      const verb = holds ? 'depende de' : 'falha só em'
      const subject = `A sua regra ${rule} ${verb} ${tag} "${pattern}"`
      if (isOfAgent) return `${subject}: o host de um evento de agente é o nome do agente, aqui "${host ?? ''}", e não o do cabeçalho do log.`
      const here = host === null ? 'o cabeçalho não tem host, então é o nome do manager' : `o host é "${host}", do cabeçalho do log`
      return `${subject}. Aqui ${here}; o host de um evento de agente é o nome do agente. Para testar isso, use em ${location['pt-BR']} "${AGENT_LOCATION}".`
    },
  },
})
