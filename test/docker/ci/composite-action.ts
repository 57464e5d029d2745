/**
 * Runs a composite action as GitHub's runner does: steps in order, inputs and outputs through the environment and the files of the runner. Steps that use
 * another action are recorded with their inputs and not run.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { readFileOf, type Repository } from './repository.js'

export interface ActionStep {
  readonly id?: string
  readonly name: string
  readonly if?: string
  readonly uses?: string
  readonly with?: Readonly<Record<string, string | boolean>>
  readonly shell?: string
  readonly env?: Readonly<Record<string, string>>
  readonly run?: string
}

export interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly required?: boolean; readonly default?: string }>>
  readonly outputs: Readonly<Record<string, { readonly description: string; readonly value: string }>>
  readonly runs: { readonly using: string; readonly steps: readonly ActionStep[] }
}

export const ACTION_FILE = 'docker/ci/github/action.yml'
export const readAction = (): Action => parse(readFileOf(ACTION_FILE)) as Action

/** What GitHub knows of the action's own checkout. */
export interface ActionOrigin {
  readonly path: string
  readonly ref: string
}

export interface ActionRun {
  /** Whether the job continues. */
  readonly ok: boolean
  /** Exit code of the step that failed; 0: none did. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  readonly outputs: Readonly<Record<string, string>>
  readonly summary: string
  /** Steps that use another action, by name, with their inputs. */
  readonly used: Readonly<Record<string, Readonly<Record<string, string>>>>
}

type Contexts = Readonly<Record<string, Readonly<Record<string, string>>>>
type Outputs = Record<string, Readonly<Record<string, string>>>

/**
 * @param cacheHit whether the step that restores the cache found it
 * @param origin by default that of a copy of the action in the repository
 */
export function runAction(
  repository: Repository,
  given: Readonly<Record<string, string>>,
  cacheHit = false,
  { npm = {}, origin = { path: join(repository.workspace, '.github/actions/detection-content'), ref: '' } }: { npm?: Readonly<Record<string, string>>; origin?: ActionOrigin } = {},
): ActionRun {
  const { inputs, outputs, runs } = readAction()
  for (const name of Object.keys(given)) assert.ok(Object.hasOwn(inputs, name), `no input ${name}`)
  const values = Object.fromEntries(Object.entries(inputs).map(([name, { default: fallback = '' }]) => [name, given[name] ?? fallback]))
  const temp = join(repository.folder, 'runner-temp')
  mkdirSync(temp, { recursive: true })
  const files = Object.fromEntries(['GITHUB_OUTPUT', 'GITHUB_PATH', 'GITHUB_STEP_SUMMARY'].map((name) => [name, join(repository.folder, name)]))
  for (const file of Object.values(files)) rmSync(file, { force: true })
  const contexts: Contexts = {
    inputs: values,
    runner: { temp, os: 'Linux', arch: 'X64' },
    github: { action_path: origin.path, action_ref: origin.ref, action_repository: 'acme/checks' },
  }
  const steps: Outputs = {}
  const used: Outputs = {}
  let [stdout, stderr, code] = ['', '', 0]
  const resolve = (text: string): string => text.replace(/\$\{\{ (.+?) \}\}/g, (_, expression: string) => valueIn(expression, contexts, steps))

  for (const step of runs.steps) {
    if (step.if !== undefined && !holds(step.if, contexts, steps)) continue
    if (step.uses !== undefined) {
      used[step.name] = Object.fromEntries(Object.entries(step.with ?? {}).map(([name, value]) => [name, resolve(String(value))]))
      if (step.id !== undefined) steps[step.id] = { 'cache-hit': String(cacheHit) }
      continue
    }
    assert.equal(step.shell, 'bash')
    const script = join(temp, 'step.sh')
    writeFileSync(script, step.run ?? '')
    writeFileSync(files.GITHUB_OUTPUT, '')
    const env = { ...Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, resolve(value)])), ...files, ...npm, RUNNER_TEMP: temp }
    const result = repository.shell(['bash', '--noprofile', '--norc', '-eo', 'pipefail', script], env, lines(files.GITHUB_PATH).reverse())
    stdout += result.stdout
    stderr += result.stderr
    // The last value of a name counts, as in the runner.
    if (step.id !== undefined) steps[step.id] = Object.fromEntries(lines(files.GITHUB_OUTPUT).map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
    code = result.code
    if (code !== 0) break
  }
  const summary = lines(files.GITHUB_STEP_SUMMARY).join('\n')
  return { ok: code === 0, code, stdout, stderr, outputs: Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, resolve(value)])), summary, used }
}

function lines(file: string): string[] {
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : []
}

/** The expressions that the action uses: names of contexts. */
function valueIn(expression: string, contexts: Contexts, steps: Outputs): string {
  const [context, first, , last] = expression.split('.')
  if (context in contexts) {
    assert.ok(Object.hasOwn(contexts[context], first), expression)
    return contexts[context][first]
  }
  assert.match(expression, /^steps\.\w+\.outputs\.[\w-]+$/)
  return steps[first]?.[last] ?? ''
}

/** Comparisons with texts, joined by `&&`. */
function holds(condition: string, contexts: Contexts, steps: Outputs): boolean {
  return condition.split(' && ').every((part) => {
    const [, name, operator, text] = /^([\w.-]+) (==|!=) '([^']*)'$/.exec(part) ?? assert.fail(part)
    return (valueIn(name, contexts, steps) === text) === (operator === '==')
  })
}
