/** Every example of every decoder option. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DECODER_OPTIONS } from '../../../engine/decoders/options/index.js'
import type { DecoderExample } from '../../../engine/decoders/options/option.js'
import { compileRuleset, createSession, EventRunner, runLogtest } from '../../../engine/index.js'
import type { CompiledRuleset, SourceFile } from '../../../engine/index.js'

/** Wazuh needs a root of each kind. */
const ROOTS = '<decoder name="other"><program_name>^other$</program_name></decoder><decoder name="others"><prematch>^others</prematch></decoder>'
const MOMENT = { seconds: 1_700_000_000, local: () => ({ timeOfDay: '12:00', weekday: 1 }) }

function compile({ xml, around = '', before = '' }: DecoderExample): CompiledRuleset {
  const file = (kind: SourceFile['kind'], filename: string, content: string): SourceFile => ({ kind, filename, scope: 'adhoc', content })
  return compileRuleset([
    file('decoders', 'decoders.xml', `${ROOTS}${before}<decoder name="example">${around.startsWith('<parent>') ? around + xml : xml + around}</decoder>`),
    file('rules', 'rules.xml', '<group name="a,"><rule id="1" level="0" noalert="1"><category>syslog</category><description>syslog</description></rule></group>'),
  ])
}

for (const { name, examples } of DECODER_OPTIONS) {
  describe(`<${name}>`, () => {
    for (const example of examples) {
      test(example.xml, () => {
        const ruleset = compile(example)
        assert.deepEqual(
          ruleset.loadDiagnostics.map(({ code }) => code),
          [],
        )
        const runner = new EventRunner(ruleset)
        const session = createSession()
        assert.ok(example.events.length > 0)
        for (const { event, decoder, fields } of example.events) {
          const report = runLogtest(runner, { event, log_format: 'auto' }, MOMENT, session, { trace: false, locale: 'en-US' })
          assert.equal(report.decoder?.name ?? null, decoder, event)
          if (fields !== undefined) assert.deepEqual(report.extracted_fields, fields, event)
        }
      })
    }
  })
}
