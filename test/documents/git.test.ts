/** Runs the commands of server/GIT.md, in the order of the page, with a started service and a real forge; every answer that the page shows is compared. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { forgeForTests } from '../support/git/forge.js'
import { commandsBySection, commandsOf, fencesBySection, missingTools } from './pages.js'
import { answers, assertContains, withService } from './shell.js'

const PAGE = 'server/GIT.md'
const REPOSITORY = 'example-soc/detections'
/** Separates the output of two sections. */
const MARK = '=== here ==='
/** Address and token of the forge in the page. */
const ADDRESS = 'https://git.example.com'
const TOKEN = 'a-token-of-the-forge'
/** Attempts of `until`, which the page does not need: a person is slower than the forge. */
const ATTEMPTS = 600

const { skip: withoutForge, forge } = forgeForTests()
const missing = missingTools()
const skip = missing.length > 0 ? `no ${missing.join(', ')} here` : withoutForge

/** What happens meanwhile, before the commands of a section. */
const MEANWHILE: Readonly<Record<string, string>> = {
  'A conflict': `until_so has "$(git -C detections rev-parse HEAD)" curl -s $FORGE/api/v1/repos/${REPOSITORY}/branches/main -H "Authorization: token $FORGE_TOKEN"`,
  'Checks of pull and merge requests': `until_so has '"status":"succeeded"' curl -s "$BINDING/runs?run_type=check" "\${AS[@]}"`,
}
const FUNCTIONS = `has() { local text=$1; shift; "$@" | grep -q -- "$text"; }
until_so() { for _ in $(seq ${ATTEMPTS}); do if "$@"; then return; fi; sleep 0.1; done; echo "it never became so: $*" >&2; return 1; }`

test('the commands of the page on Git run on a forge, and print the answers that it shows', { skip }, async () => {
  const running = await forge()
  const { url } = running
  // The rights that the page names.
  const token = await running.createToken('write:repository', 'write:issue', 'read:organization')
  await running.api('POST', '/orgs', { username: 'example-soc', visibility: 'private' })
  await running.api('POST', '/orgs/example-soc/repos', { name: 'detections', private: true, auto_init: true, default_branch: 'main' })
  await running.api('POST', `/repos/${REPOSITORY}/contents`, { branch: 'main', message: 'Detect VPN logins', files: shownFiles() })
  const sections = [...commandsBySection(PAGE)]
  const commands = sections.map(([section, text]) => [`echo '${MARK}'`, MEANWHILE[section] ?? '', text].join('\n'))
  const page = [commandsOf('server/README.md', 'First calls'), FUNCTIONS, ...commands].join('\n').replaceAll(ADDRESS, url).replaceAll(TOKEN, token)
  const look = (stdout: string): void => {
    const [, ...printed] = stdout.split(`${MARK}\n`)
    const shown = fencesBySection(PAGE, 'json')
    assert.equal(printed.length, sections.length)
    for (const [at, [section]] of sections.entries()) {
      const expected = (shown.get(section) ?? []).map((text) => JSON.parse(text.replaceAll(ADDRESS, url)) as unknown)
      const found = answers(printed[at])
      assert.equal(found.length, expected.length, `${section}:\n${printed[at]}`)
      for (const [index, answer] of expected.entries()) assertContains(found[index], answer, section)
    }
    assert.ok(!stdout.includes(token))
  }
  await withService(page, look, { NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true' })
})

/** The files that the page shows. */
function shownFiles() {
  const [decoders, rules] = fencesBySection(PAGE, 'xml').get('A first import') ?? []
  const created = (path: string, text: string) => ({ operation: 'create', path, content: Buffer.from(text).toString('base64') })
  return [created('decoders/vpn.xml', decoders), created('rules/vpn.xml', rules)]
}
