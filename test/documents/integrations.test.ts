/** Runs the commands of server/INTEGRATIONS.md with a started service, a GitLab of the tests and a receiver in place of a chat. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { GitLabPipelines } from '../support/ci/gitlab-ci-routes.js'
import { GitLabFake } from '../support/git/gitlab-fake.js'
import { push } from '../support/git/gitlab-store.js'
import { startReceiver } from '../support/receiver.js'
import { commandsOf, fencesBySection, missingTools } from './pages.js'
import { answers, assertContains, withService } from './shell.js'

const PAGE = 'server/INTEGRATIONS.md'
/** Separates the output of two sections. */
const MARK = '=== here ==='
const FIRST = commandsOf('server/README.md', 'First calls')
const PROJECT = commandsOf('server/README.md', 'A project, from the first rule to the published version')
const ENV = { NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true' }
const missing = missingTools()
const skip = missing.length > 0 && `no ${missing.join(', ')} here`

test('the commands about pipeline runs start a run and cancel it', { skip }, async () => {
  const ci = new GitLabPipelines()
  const gitlab = await new GitLabFake(ci.routes).start()
  try {
    push(gitlab.createProject('example-soc/detections'), 'main', { files: { a: 'a' } })
    const ofFake = (text: string): string => text.replaceAll('https://gitlab.example.com', gitlab.url).replaceAll('a-token-of-gitlab', gitlab.token)
    const commands = [FIRST, `echo '${MARK}'`, ofFake(commandsOf(PAGE, 'Pipeline runs'))].join('\n')
    await withService(commands, (stdout) => compare(stdout.split(`${MARK}\n`)[1], shownIn('Pipeline runs').map(ofFake)), ENV)
    assert.deepEqual(
      ci.pipelines.map(({ ref, status, variables }) => ({ ref, status, variables })),
      [{ ref: 'main', status: 'canceled', variables: { TARGET: 'staging' } }],
    )
  } finally {
    await gitlab.close()
  }
})

test('the commands about chats post a test, and then the message that the page shows', { skip }, async () => {
  const chat = await startReceiver()
  try {
    const ofReceiver = commandsOf(PAGE, 'Messages to chats').replaceAll('https://hooks.slack.example.com', chat.origin)
    const published = `for _ in $(seq 600); do curl -s ${chat.origin}/count | grep -q 2 && break; sleep 0.1; done`
    chat.answers(({ method }, response) => void response.end(method === 'GET' ? String(posts().length) : 'ok'))
    const posts = () => chat.received.filter(({ method }) => method === 'POST')
    const commands = [FIRST, `echo '${MARK}'`, ofReceiver, `echo '${MARK}'`, PROJECT, published].join('\n')
    await withService(commands, (stdout) => compare(stdout.split(`${MARK}\n`)[1], shownIn('Messages to chats')), ENV)
    const [, message] = posts()
    compare(message.body, shownIn('A message'))
  } finally {
    await chat.close()
  }
})

function shownIn(section: string): string[] {
  return fencesBySection(PAGE, 'json').get(section) ?? []
}

/** Asserts that the answers of a section are those that the page shows. */
function compare(printed: string, shown: readonly string[]): void {
  const found = answers(printed)
  assert.equal(found.length, shown.length, printed)
  for (const [at, text] of shown.entries()) assertContains(found[at], JSON.parse(text), `answer ${at + 1}`)
}
