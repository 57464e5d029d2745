/** Runs the commands of server/IDENTITY.md, in the order of the page, with a started service and a certified OpenID provider; every answer that the page shows is compared. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { startCertifiedProvider } from '../support/openid/certified.js'
import { startReceiver } from '../support/receiver.js'
import { commandsBySection, commandsOf, fencesBySection, missingTools } from './pages.js'
import { answers, assertContains, withService } from './shell.js'

const PAGE = 'server/IDENTITY.md'
/** Separates the output of two sections. */
const MARK = '=== here ==='
/** The provider of the page. */
const [ISSUER, CLIENT_ID, CLIENT_SECRET] = ['https://login.example.com', 'detection-content', 'a-secret-of-the-provider']
/** The command before which a person registers the redirect URI at the provider. */
const VALIDATION = 'curl -s -X POST $PROVIDERS/$PROVIDER/validate'
const missing = missingTools()
const skip = missing.length > 0 && `no ${missing.join(', ')} here`

test('the commands of the page on sign-in run with a real provider, and print the answers that it shows', { skip }, async () => {
  const [provider, person] = await Promise.all([startCertifiedProvider(), startReceiver()])
  try {
    const { clientId, clientSecret, redirectTo } = await provider.register()
    person.answers(({ body }, response) => void redirectTo(body.trim()).then(() => response.end()))
    const registering = `curl -s ${person.origin} -d "$(field redirect_uri <<< "$CREATED")"\n`
    const ofProvider = (text: string): string =>
      text.replaceAll(ISSUER, provider.issuer).replaceAll(`"client_id": "${CLIENT_ID}"`, `"client_id": "${clientId}"`).replaceAll(CLIENT_SECRET, clientSecret)
    const sections = [...commandsBySection(PAGE)]
    assert.ok(sections.some(([, text]) => text.includes(VALIDATION)))
    const commands = sections.map(([, text]) => `echo '${MARK}'\n${ofProvider(text).replace(VALIDATION, () => registering + VALIDATION)}`)
    const shown = fencesBySection(PAGE, 'json')
    const look = (stdout: string): void => {
      const [, ...printed] = stdout.split(`${MARK}\n`)
      assert.equal(printed.length, sections.length)
      for (const [at, [section]] of sections.entries()) {
        const expected = (shown.get(section) ?? []).map((text) => JSON.parse(ofProvider(text)) as unknown)
        const found = answers(printed[at])
        assert.equal(found.length, expected.length, `${section}:\n${printed[at]}`)
        for (const [index, answer] of expected.entries()) assertContains(found[index], answer, section)
      }
      assert.ok(!stdout.includes(clientSecret))
    }
    await withService([commandsOf('server/README.md', 'First calls'), ...commands].join('\n'), look, { NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true' })
  } finally {
    await Promise.all([provider.close(), person.close()])
  }
})
