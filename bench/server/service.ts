/** Runs the whole service in its own process, with an organization, a key and no rate limits, for load benches. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PASSWORD = 'a password for benches'
export const EMAIL = 'bench@example.test'

export interface BenchService {
  readonly url: string
  readonly key: string
  /** Process id. */
  readonly pid: number
  /** Login of the first admin. */
  readonly login: { readonly email: string; readonly password: string }
  /** Microseconds of processor time since the start. */
  cpu(): Promise<number>
  /** Registers another organization, with a key that has all permissions. Requires `SELF_SIGNUP_ENABLED`. */
  register(name: string): Promise<BenchTenant>
  /** Ends the service, waits until it has ended, and deletes its data. */
  stop(): Promise<void>
}

export interface BenchTenant {
  readonly key: string
  /** Token of its admin's session. */
  readonly token: string
  readonly organizationId: string
}

/** @param root of the checkout whose build is started */
export async function startBenchService(env: Readonly<Record<string, string>>, root = ROOT): Promise<BenchService> {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'))
  const main = join(root, 'dist/server/main.js')
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH, NATIVE_SERVICE_PORT: '0', NATIVE_SERVICE_DATA_DIR: directory, NATIVE_SERVICE_API_RATE_LIMIT_ENABLED: 'false', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // A bench that fails must not leave the service behind.
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  const url = await addressOf(child)
  const post = async <T>(path: string, body: unknown, headers: Record<string, string> = {}): Promise<T> => {
    const answer = await fetch(`${url}/api/v1${path}`, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
    return (await answer.json()) as T
  }
  const keyOf = async ({ access_token, current_organization }: Session, scopes: readonly string[]): Promise<string> => {
    const made = { name: 'bench', scopes, expires_at: null }
    const { api_key } = await post<{ api_key: string }>(`/platform/organizations/${current_organization.id}/api-keys`, made, { Authorization: `Bearer ${access_token}` })
    return api_key
  }
  const session = await post<Session>('/auth/bootstrap', {
    organization_name: 'Bench',
    organization_description: '',
    email: EMAIL,
    display_name: 'Bench',
    password: PASSWORD,
  })
  const key = await keyOf(session, ['analysis:run', 'projects:write', 'cases:write', 'cases:run'])
  while (!(await fetch(`${url}/readyz`)).ok) await new Promise((resolve) => setTimeout(resolve, 50))
  return {
    url,
    pid: child.pid as number,
    key,
    register: async (name) => {
      const email = `${name}@example.test`
      const registered = await post<Session>('/auth/register-organization', {
        organization_name: name,
        organization_description: '',
        email,
        display_name: name,
        password: PASSWORD,
      })
      return { key: await keyOf(registered, ['admin:*']), token: registered.access_token, organizationId: registered.current_organization.id }
    },
    login: { email: EMAIL, password: PASSWORD },
    cpu: () => cpuOf(child.pid as number),
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit')
        child.kill()
        await ended
      }
      process.off('exit', kill)
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

interface Session {
  readonly access_token: string
  readonly current_organization: { readonly id: string }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    const read = (chunk: Buffer): void => {
      output += chunk.toString()
      const found = /"address":"(http:[^"]+)"/.exec(output)
      if (found === null) return
      // From here on the log is discarded: reading it would take time of the load generator.
      child.stdout?.off('data', read).resume()
      resolve(found[1])
    }
    child.stdout?.on('data', read)
    child.once('exit', () => reject(new Error(output)))
  })
}

/** Microseconds of processor time of all threads of a process; Linux only, elsewhere 0. */
export async function cpuOf(pid: number): Promise<number> {
  const { readFile } = await import('node:fs/promises')
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  // Clock ticks of 10 ms.
  return text === '' ? 0 : (Number(fields[11]) + Number(fields[12])) * 10_000
}
