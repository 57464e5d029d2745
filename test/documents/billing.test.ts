/** Runs the commands of server/BILLING.md with a started service and the mock of a payment gateway, and holds its table of events against the code. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { EVENT_TYPES } from '../../server/features/billing/gateways/events.js'
import { STRIPE_API_VERSION } from '../../server/features/billing/gateways/version.js'
import { commandsBySection, commandsOf, fencesBySection, missingTools, readPage } from './pages.js'
import { answers, assertContains, withService } from './shell.js'

const PAGE = 'server/BILLING.md'
const SECTION = 'The mock'
/** Separates the output of the commands before. */
const MARK = '=== here ==='
const missing = missingTools()
const skip = missing.length > 0 && `no ${missing.join(', ')} here`

test('the walk through the mock of a payment gateway runs, and prints the answers that the page shows', { skip }, async () => {
  assert.deepEqual([...commandsBySection(PAGE).keys()], [SECTION])
  const shown = (fencesBySection(PAGE, 'json').get(SECTION) ?? []).map((text) => JSON.parse(text) as unknown)
  const look = (stdout: string): void => {
    const found = answers(stdout.split(`${MARK}\n`)[1])
    assert.equal(found.length, shown.length, stdout)
    for (const [index, answer] of shown.entries()) assertContains(found[index], answer, SECTION)
  }
  const commands = [commandsOf('server/README.md', 'First calls'), `echo '${MARK}'`, commandsOf(PAGE, SECTION)].join('\n')
  await withService(commands, look, { NATIVE_SERVICE_BILLING_GATEWAY: 'mock' })
})

test('the page lists the events that are read, and the version of the API', () => {
  const text = readPage(PAGE)
  const table = text.slice(text.indexOf('| Event |'), text.indexOf('4. Activate'))
  assert.deepEqual([...table.matchAll(/`([a-z_.]+)`/g)].map(([, name]) => name).sort(), Object.keys(EVENT_TYPES).sort())
  assert.ok(text.includes(`\`${STRIPE_API_VERSION}\``))
})
