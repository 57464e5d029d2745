/**
 * `node dist/bench/server/git-read.bench.js [PROVIDER ...]`: reads a repository of 10,000 files and one of 200 MB through each Git gateway, over real sockets, eight
 * files at a time: requests, time, memory, and how long the thread was kept. GitHub and GitLab are the fakes of the tests, in this process, so that their work and
 * their memory are in the figures; Gitea and plain Git are real servers beside it.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { GitFile, GitGateway } from '../../server/features/connections/gateways/git/gateway.js'
import { Connections, HttpClient } from '../../server/core/egress/client.js'
import { EgressGuard } from '../../server/core/egress/egress-guard.js'
import type { GitProviderUnderTest } from '../../test/contracts/git-gateway.js'
import { giteaUnderTest } from '../../test/support/git/gitea-under-test.js'
import { githubUnderTest } from '../../test/support/git/github-under-test.js'
import { gitlabUnderTest } from '../../test/support/git/gitlab-under-test.js'
import { plainUnderTest } from '../../test/support/git/plain-under-test.js'

const PROVIDERS = [githubUnderTest, gitlabUnderTest, giteaUnderTest, plainUnderTest]
const AT_ONCE = 8
const MB = 1024 * 1024
const never = new AbortController().signal

/** Bytes that differ by file, and do not become much smaller by compression. */
function contentOf(file: number, bytes: number): Buffer {
  const content = Buffer.alloc(bytes)
  let state = file + 1
  for (let at = 0; at < bytes; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    content[at] = 32 + ((state >>> 16) % 90)
  }
  return content
}

const REPOSITORIES = {
  '10,000 files of 3 KB': () => Object.fromEntries(Array.from({ length: 10_000 }, (_, file) => [`rules/${file % 100}/${file}.xml`, contentOf(file, 3072)])),
  '200 files of 1 MB': () => Object.fromEntries(Array.from({ length: 200 }, (_, file) => [`rules/${file}.xml`, contentOf(file, MB)])),
}

const wanted = process.argv.slice(2)
for (const underTest of PROVIDERS.map((provider) => provider())) if (wanted.length === 0 || wanted.includes(underTest.name)) await measure(underTest)

async function measure({ name, skip, start }: GitProviderUnderTest): Promise<void> {
  if (typeof skip === 'string') return console.log(`${name}: ${skip}`)
  const { createRepository, push, overHttp, close } = await start()
  const client = new HttpClient(new EgressGuard({ allowPrivateTargets: true }))
  for (const [size, files] of Object.entries(REPOSITORIES)) {
    const repository = await createRepository()
    const [head] = await push(repository, 'main', { files: files() })
    let requests = 0
    const connections = new Connections()
    const counted: HttpClient['send'] = (request) => {
      requests += 1
      return client.send({ ...request, connections })
    }
    const gateway = overHttp!.open({ send: counted }, Date.now)
    globalThis.gc?.()
    const before = process.memoryUsage().rss
    const delay = monitorEventLoopDelay({ resolution: 5 })
    let most = before
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss)
    }, 20)
    delay.enable()
    const cpu = process.cpuUsage()
    const began = performance.now()
    const outcome = await readAll(gateway, repository, head).catch((error: Error) => `refused: ${error.message}`)
    const ms = performance.now() - began
    const { user, system } = process.cpuUsage(cpu)
    delay.disable()
    clearInterval(watch)
    const figures = [`${requests} requests`, `${Math.round(ms)} ms`, `CPU ${Math.round((user + system) / 1000)} ms`, `+${Math.round((most - before) / MB)} MB`]
    console.log(`${name}, ${size}: ${outcome}; ${figures.join(', ')}, thread kept for at most ${Math.round(delay.max / 1e6)} ms`)
  }
  client.close()
  await close()
}

/** Reads every file and keeps none. */
async function readAll(gateway: GitGateway, repository: string, head: string): Promise<string> {
  const began = performance.now()
  const files = await gateway.listFiles(repository, head, never)
  const listed = Math.round(performance.now() - began)
  let next = 0
  let bytes = 0
  const readNext = async (): Promise<void> => {
    for (let file: GitFile | undefined = files[next++]; file !== undefined; file = files[next++]) {
      const { length } = await gateway.readFile(repository, head, file, never)
      bytes += length
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, readNext))
  return `${files.length} files listed in ${listed} ms, ${Math.round(bytes / MB)} MB read`
}
