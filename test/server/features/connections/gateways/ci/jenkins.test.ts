/** Builds of Jenkins. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ApiError } from '../../../../../../server/core/errors.js'
import type { CiGateway, PipelineRequest } from '../../../../../../server/features/connections/gateways/ci/gateway.js'
import { openJenkins } from '../../../../../../server/features/connections/gateways/ci/jenkins.js'
import { HttpClient } from '../../../../../../server/core/egress/client.js'
import { EgressGuard } from '../../../../../../server/core/egress/egress-guard.js'
import { FAULTS, failing } from '../../../../../contracts/provider-faults.js'
import { type FakeItem, JenkinsFake } from '../../../../../support/ci/jenkins-fake.js'
import { READER } from '../../../../../support/reader.js'

const signal = new AbortController().signal
const REQUEST: PipelineRequest = { project: null, workflow: null, branch: null, inputs: {} }
const NOW = Date.UTC(2026, 10, 23)
const BEGAN = new Date(1_795_000_000_000)

describe('Jenkins', () => {
  const http = new HttpClient(new EgressGuard({ allowPrivateTargets: true }))
  let fake: JenkinsFake
  let gateway: CiGateway
  const open = (project: string | null, { password = fake.apiToken, client = http as Pick<HttpClient, 'send'>, baseUrl = fake.url as string | null } = {}) =>
    openJenkins(
      { baseUrl, organization: null, credentials: { kind: 'password', username: fake.user, password }, project, workflow: null },
      { http: client, reader: READER, clock: () => NOW },
    )
  const latest = (): FakeItem => fake.queue.at(-1)!

  before(async () => {
    fake = await new JenkinsFake().start()
    fake.addJob('content')
    fake.addJob('team a/deploy', { parameters: ['BRANCH', 'level'] })
    fake.addJob('many', { isMultibranch: true })
    fake.addJob('many/feature%2Fx', { parameters: ['level'] })
    gateway = open('content')
  })
  after(async () => {
    http.close()
    await fake.close()
  })

  test('the credential and the job are tested', async () => {
    assert.deepEqual(await gateway.test(signal), { account: fake.user })
    assert.deepEqual(await open(null).test(signal), { account: fake.user })
    await assert.rejects(open('missing').test(signal), { reason: 'provider_not_found' })
    await assert.rejects(open(null, { password: 'other' }).test(signal), { reason: 'provider_credentials_refused' })
    await assert.rejects(open(null, { baseUrl: null }).test(signal), { reason: 'provider_unsupported' })
  })

  test('a build waits, runs and ends, and is found by the id of its queue item', async () => {
    const waiting = await gateway.start(REQUEST, signal)
    const job = `${fake.url}/job/content/`
    assert.deepEqual(waiting, { externalRunId: waiting.externalRunId, status: 'queued', url: job, startedAt: null, finishedAt: null, logsUrl: null })
    assert.match(waiting.externalRunId, /^queue\.\d+\.[\w-]+$/)
    assert.deepEqual(await gateway.get(waiting.externalRunId, signal), waiting)
    const build = fake.begin(latest())
    const running = await gateway.get(waiting.externalRunId, signal)
    const url = `${job}${build.number}/`
    assert.deepEqual(running, { externalRunId: running.externalRunId, status: 'running', url, startedAt: BEGAN, finishedAt: null, logsUrl: `${url}console` })
    Object.assign(build, { building: false, result: 'SUCCESS' })
    latest().isForgotten = true
    for (const id of [waiting.externalRunId, running.externalRunId]) {
      const ended = await gateway.get(id, signal)
      assert.deepEqual([ended.externalRunId, ended.status, ended.finishedAt], [running.externalRunId, 'succeeded', new Date(BEGAN.getTime() + 61_000)])
    }
  })

  for (const [result, status] of [
    ['SUCCESS', 'succeeded'],
    ['UNSTABLE', 'failed'],
    ['FAILURE', 'failed'],
    ['ABORTED', 'canceled'],
    ['NOT_BUILT', 'canceled'],
    ['A_LATER_RESULT', 'failed'],
  ] as const) {
    test(`${result} is ${status}`, async () => {
      const { externalRunId } = await gateway.start(REQUEST, signal)
      Object.assign(fake.begin(latest()), { building: false, result })
      assert.equal((await gateway.get(externalRunId, signal)).status, status)
    })
  }

  test('inputs and branch are parameters that the job defines', async () => {
    const deploy = open('team a/deploy')
    await deploy.start({ ...REQUEST, branch: 'feature/é & more', inputs: { level: '3=4&5' } }, signal)
    assert.deepEqual([latest().job.path, latest().parameters], ['team a/deploy', { BRANCH: 'feature/é & more', level: '3=4&5' }])
    await deploy.start(REQUEST, signal)
    assert.deepEqual(latest().parameters, {})
    const before = fake.queue.length
    const isMissing = (names: readonly string[]) => (error: ApiError) => {
      assert.deepEqual([error.reason, error.details.what, error.details.names], ['provider_not_found', 'parameter', names])
      return true
    }
    await assert.rejects(deploy.start({ ...REQUEST, inputs: { other: '1', level: '1' } }, signal), isMissing(['other']))
    await assert.rejects(gateway.start({ ...REQUEST, inputs: { level: '1' } }, signal), isMissing(['level']))
    await assert.rejects(gateway.start({ ...REQUEST, branch: 'main' }, signal), isMissing(['BRANCH']))
    assert.equal(fake.queue.length, before)
  })

  test('a job with branches starts the job of the branch', async () => {
    const many = open(null)
    const { externalRunId } = await many.start({ ...REQUEST, project: 'many', branch: 'feature/x', inputs: { level: '2' } }, signal)
    assert.deepEqual([latest().job.path, latest().parameters], ['many/feature%2Fx', { level: '2' }])
    const { number } = fake.begin(latest())
    assert.equal((await many.get(externalRunId, signal)).url, `${fake.url}/job/many/job/feature%252Fx/${number}/`)
    for (const branch of ['missing', null]) {
      await assert.rejects(many.start({ ...REQUEST, project: 'many', branch }, signal), (error: ApiError) => error.details.what === 'branch')
    }
  })

  test('a waiting and a running build are canceled, an ended one is left', async () => {
    const waiting = await gateway.start(REQUEST, signal)
    await gateway.cancel!(waiting.externalRunId, signal)
    assert.equal((await gateway.get(waiting.externalRunId, signal)).status, 'canceled')
    const running = await gateway.start(REQUEST, signal)
    const build = fake.begin(latest())
    await gateway.cancel!(running.externalRunId, signal)
    assert.equal(build.result, 'ABORTED')
    assert.equal((await gateway.get(running.externalRunId, signal)).status, 'canceled')
    fake.received.length = 0
    await gateway.cancel!(running.externalRunId, signal)
    assert.deepEqual(
      fake.received.filter((each) => each.startsWith('POST')),
      [],
    )
  })

  test('a password needs a crumb and its session, an API token does not', async () => {
    const withPassword = open('content', { password: fake.password })
    fake.received.length = 0
    await withPassword.start(REQUEST, signal)
    assert.deepEqual(fake.received.slice(1), ['POST /ci/job/content/build', 'GET /ci/crumbIssuer/api/json', 'POST /ci/job/content/build'])
    fake.received.length = 0
    await gateway.start(REQUEST, signal)
    assert.ok(!fake.received.some((each) => each.includes('crumb')))
  })

  test('ids and jobs cannot leave their endpoint', async () => {
    fake.received.length = 0
    const of = (path: string) => `build.1.${Buffer.from(path).toString('base64url')}`
    for (const id of ['1', 'queue.1', 'queue.x.YQ', of('..'), of('a/../../b'), of('')]) await assert.rejects(gateway.get(id, signal), { reason: 'provider_not_found' })
    for (const project of ['..', 'a/../b', '/a', 'a//b']) await assert.rejects(gateway.start({ ...REQUEST, project }, signal), { reason: 'provider_not_found' })
    assert.deepEqual(fake.received, [])
    await assert.rejects(gateway.start({ ...REQUEST, project: 'a?b#c%2f..' }, signal), { reason: 'provider_not_found' })
    assert.match(fake.received[0], /^GET \/ci\/job\/a%3Fb%23c%252f\.\.\/api\/json\?tree=/)
  })

  test('a missing permission is named, a sign-in page is a redirect, and a disabled job refuses', async () => {
    fake.instead.push({ status: 403, headers: { 'x-required-permission': 'hudson.model.Hudson.Read' } })
    await assert.rejects(gateway.test(signal), (error: ApiError) => {
      assert.deepEqual([error.reason, error.details.scopes], ['provider_scope_missing', ['hudson.model.Hudson.Read']])
      return true
    })
    const job = { body: { _class: 'hudson.model.FreeStyleProject', property: [] } }
    fake.instead.push(job, { status: 302, headers: { location: '/ci/login?from=%2F' } })
    await assert.rejects(gateway.start(REQUEST, signal), { reason: 'provider_redirect_refused' })
    fake.instead.push(job, { status: 409, page: 'content is not buildable' })
    await assert.rejects(gateway.start(REQUEST, signal), { reason: 'provider_refused' })
    fake.instead.push({ status: 503, headers: { 'retry-after': '30' } })
    await assert.rejects(gateway.test(signal), (error: ApiError) => error.reason === 'provider_rate_limited' && error.details.retry_at === new Date(NOW + 30_000).toISOString())
  })

  for (const fault of FAULTS) {
    test(`${fault.name} is told, without the credential`, async () => {
      const opened = open('content', { client: failing(fault, fake.apiToken) })
      const calls = [opened.test(signal), opened.start(REQUEST, signal), opened.get(`build.1.${Buffer.from('content').toString('base64url')}`, signal)]
      for (const outcome of await Promise.allSettled(calls)) {
        assert.ok(outcome.status === 'rejected' && outcome.reason instanceof ApiError, fault.name)
        fault.check(outcome.reason, NOW)
        assert.ok(!JSON.stringify([outcome.reason.message, outcome.reason.details, outcome.reason.stack]).includes(fake.apiToken))
      }
    })
  }
})
