/** The recorded events by kind, each kind with its ruleset. */
import { type CompiledRuleset, compileRuleset, type LogtestInput, receiveEvent, type ReceivedEvent, toByteString } from '#engine'
import { eventchannelInputs, stockData } from './data.js'

/** One of so many events of the replay corpus is measured. */
const REPLAYED_STEP = 6

export interface Kind {
  readonly name: string
  readonly ruleset: CompiledRuleset
  /** The text of each is a byte string. */
  readonly events: readonly (ReceivedEvent & { readonly event: string })[]
}

/** The recordings and the replay corpus must be there. */
export function kindsOfEvents(): Kind[] {
  const [standard, test] = [stockData('default'), stockData('test')]
  const [ruleset, testRuleset] = [compileRuleset(standard.files), compileRuleset(test.files)]
  const syslog = (lines: readonly string[] | undefined): Kind['events'] => received((lines ?? []).map((event) => ({ event, log_format: 'syslog' })))
  return [
    ...['sshd', 'json-cloud', 'cisco', 'web', 'other'].map((name) => ({ name, ruleset, events: syslog(standard.lines.get(name)) })),
    { name: 'windows-json', ruleset: testRuleset, events: syslog(test.lines.get('windows-json')) },
    { name: 'event channel', ruleset, events: received(eventchannelInputs(REPLAYED_STEP)) },
  ]
}

function received(inputs: readonly LogtestInput[]): Kind['events'] {
  return inputs.flatMap((input) => {
    const one = receiveEvent(input)
    return one === null ? [] : [{ ...one, text: toByteString(input.event), event: input.event }]
  })
}
