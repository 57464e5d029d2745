/** `<34>Nov 17 …`: a syslog receiver removes the priority, the engine does not. */
import { fromByteString } from '../../source/byte-string.js'
import { defineTip } from '../tip.js'

export const priorityPrefix = defineTip<{ priority: string }>({
  id: 'priority-prefix',
  applies: ({ event: { fullLog } }) => {
    const priority = /^<\d{1,3}>(?:1 )?/.exec(fullLog)?.[0]
    return priority === undefined ? null : { priority: fromByteString(priority) }
  },
  text: {
    'en-US': ({ priority }) =>
      `The log begins with "${priority}". Wazuh does not read a syslog priority or an RFC 5424 header here; test the log without it, as a syslog receiver delivers it.`,
    'pt-BR': ({ priority }) =>
      `O log começa com "${priority}". Aqui o Wazuh não lê prioridade syslog nem cabeçalho RFC 5424; teste o log sem isso, como um receptor de syslog o entrega.`,
  },
})
