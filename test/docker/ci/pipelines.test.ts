/** The GitLab template and the Jenkinsfile: their keywords, and their scripts as the runners run them. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { parse } from 'yaml'
import { LINE, LOST, missingOf, readFileOf, Repository, type ShellResult, VERSION } from './repository.js'

const skip = missingOf(['sh', 'bash', 'npm', 'tar'].slice(1))
const skipGit = skip === false ? missingOf(['git']) : skip
/** The reports of a job, below the workspace. */
const REPORTS = 'detection-content-reports'

/** Keywords of docs.gitlab.com, "CI/CD YAML syntax reference", and the values that they take here. */
const JOB_KEYS = ['stage', 'needs', 'interruptible', 'image', 'rules', 'cache', 'before_script', 'script', 'artifacts', 'extends']
const NESTED_KEYS: Readonly<Record<string, readonly string[]>> = { cache: ['key', 'paths'], artifacts: ['when', 'expire_in', 'paths', 'reports'] }

interface Job {
  readonly extends?: string
  readonly before_script?: readonly string[]
  readonly script?: readonly string[]
  readonly rules?: readonly unknown[]
  readonly artifacts?: { readonly reports?: Readonly<Record<string, string>>; readonly paths?: readonly string[]; readonly when?: string }
  readonly cache?: { readonly key: string; readonly paths: readonly string[] }
}

/** A reference is kept as the list of names in it. */
const template = parse(readFileOf('docker/ci/gitlab/detection-content.yml'), {
  customTags: [{ tag: '!reference', collection: 'seq', identify: () => false, resolve: (sequence: unknown) => sequence } as never],
}) as Record<string, Job> & { variables: Record<string, string> }
const { variables, '.detection-content': shared, ...jobs } = template

describe('the GitLab template', () => {
  const repository = new Repository()
  const other = new Repository()
  let tarball = ''
  before(() => {
    if (skip === false) tarball = repository.pack()
  })
  after(() => {
    repository.remove()
    other.remove()
  })

  it('has only keywords that GitLab knows, and jobs that extend the shared one', () => {
    assert.deepEqual(Object.keys(jobs), ['detection-content-validate', 'detection-content-test'])
    for (const job of [shared, ...Object.values(jobs)]) {
      for (const [key, value] of Object.entries(job)) {
        assert.ok(JOB_KEYS.includes(key), key)
        for (const nested of Object.keys(key in NESTED_KEYS ? (value as object) : {})) assert.ok(NESTED_KEYS[key].includes(nested), `${key}.${nested}`)
      }
      for (const script of [...(job.script ?? []), ...(job.before_script ?? [])]) assert.equal(typeof script, 'string')
      for (const path of Object.values(job.artifacts?.reports ?? {})) assert.ok(path.startsWith(`${REPORTS}/`))
    }
    for (const job of Object.values(jobs)) assert.equal(job.extends, '.detection-content')
    assert.deepEqual(Object.keys(jobs['detection-content-validate'].artifacts?.reports ?? {}), ['codequality', 'junit'])
    assert.deepEqual(shared.cache?.paths, ['.detection-content/'])
    assert.ok(Object.values(variables).every((value) => typeof value === 'string'))
    assert.equal(variables.DETECTION_CONTENT_VERSION, VERSION)
    // The template is text for GitLab: an input of `spec` would be inserted into scripts.
    assert.ok(!readFileOf('docker/ci/gitlab/detection-content.yml').includes('$[['))
  })

  it('is included by an example that sets variables it has', () => {
    const example = parse(readFileOf('docker/ci/gitlab/example.yml')) as { include: { project: string; file: string; ref: string }[]; variables: Record<string, string> }
    assert.deepEqual([example.include[0].file, example.include[0].ref], ['docker/ci/gitlab/detection-content.yml', `v${VERSION}`])
    assert.equal(example.include[0].project, example.variables.DETECTION_CONTENT_PROJECT)
    for (const name of Object.keys(example.variables)) assert.ok(Object.hasOwn(variables, name), name)
  })

  /** Runs a job: both scripts in one shell, which ends at the first failure. */
  const run = (name: string, given: Readonly<Record<string, string>>, on = repository): ShellResult => {
    const script = ['set -e', ...(shared.before_script ?? []), ...(jobs[name].script ?? [])].join('\n')
    return on.shell(['sh', '-c', script], { ...variables, DETECTION_CONTENT_RULESET: 'base', ...given })
  }

  it('installs the package once, passes good content, and reports a broken rule at its line', { skip }, () => {
    const first = run('detection-content-validate', { DETECTION_CONTENT_PACKAGE: tarball })
    assert.equal(first.code, 0, first.stdout + first.stderr)
    assert.deepEqual(JSON.parse(repository.read(`${REPORTS}/code-quality.json`)), [])
    repository.tool('npm', 'exit 7')
    const cases = run('detection-content-test', {})
    assert.equal(cases.code, 0, cases.stdout + cases.stderr)
    assert.match(repository.read(`${REPORTS}/test.xml`), /<testcase [^>]*name="opened"/)
    repository.write('broken/rules/lost.xml', LOST)
    assert.equal(run('detection-content-validate', { DETECTION_CONTENT_PATH: 'broken', DETECTION_CONTENT_STRICT: 'true' }).code, 1)
    const [{ check_name, location, severity }] = JSON.parse(repository.read(`${REPORTS}/code-quality.json`)) as {
      check_name: string
      severity: string
      location: { path: string; lines: { begin: number } }
    }[]
    assert.deepEqual([check_name, severity, location], ['rule_parent_missing', 'critical', { path: 'broken/rules/lost.xml', lines: { begin: LINE } }])
    assert.match(repository.read(`${REPORTS}/validate.xml`), /<failure type="rule_parent_missing"/)
    assert.equal(run('detection-content-test', { DETECTION_CONTENT_CASES: 'nowhere' }).code, 2)
  })

  it('installs a tagged version of its project, and by DETECTION_CONTENT_PACKAGE a commit of a Git repository or a name on npm', { skip: skipGit }, async () => {
    const { bare, commit } = other.repositoryOfPackage()
    other.pack()
    const npm = await other.publish()
    const gitlab = { CI_SERVER_URL: `file://${other.folder}`, CI_JOB_TOKEN: '' }
    for (const name of ['', `git+file://${bare}#${commit}`, `detection-content@${VERSION}`]) {
      const { code, stdout, stderr } = run('detection-content-validate', { ...npm, ...gitlab, DETECTION_CONTENT_PACKAGE: name }, other)
      assert.equal(code, 0, name + stdout + stderr)
    }
    // The token is for Git alone, and replaces the address of the server.
    other.tool('npm', `git ls-remote --get-url "$(printf '%s\\n' "$@" | sed -n 's/^git+\\(.*\\)#.*/\\1/p')" > address`)
    rmSync(join(other.workspace, '.detection-content'), { recursive: true })
    run('detection-content-validate', { CI_SERVER_URL: 'https://gitlab.example.com:8443', CI_JOB_TOKEN: 'secret' }, other)
    assert.equal(other.read('address').trim(), `https://gitlab-ci-token:secret@gitlab.example.com:8443/${variables.DETECTION_CONTENT_PROJECT}.git`)
  })

  it('takes hostile variables as values', { skip }, () => {
    repository.tool('detection-content', 'printf "%s\\n" "$@" > arguments')
    for (const value of ['$(touch pwned)', '`touch pwned`', '"; touch pwned; "', "'; touch pwned; '", '; touch pwned', '--help', '*']) {
      assert.equal(run('detection-content-test', { DETECTION_CONTENT_PATH: value, DETECTION_CONTENT_CASES: value, DETECTION_CONTENT_RULESET: value }).code, 0)
      assert.ok(!repository.has('pwned'), value)
      const seen = repository.read('arguments').trimEnd().split('\n')
      assert.deepEqual([seen[1], seen[2], ...seen.slice(-2)], [`--custom=${value}`, `--ruleset=${value}`, '--', value])
    }
  })
})

describe('the Jenkinsfile', () => {
  const text = readFileOf('docker/ci/jenkins/Jenkinsfile')
  const scripts = [...text.matchAll(/^ *sh '''\n([\s\S]*?)'''/gm)].map(([, script]) => script)
  const environment = Object.fromEntries([...text.matchAll(/^ {4}(\w+) = '([^']*)'$/gm)].map(([, name, value]) => [name, value]))
  const repository = new Repository()
  let tarball = ''
  before(() => {
    if (skip === false) tarball = repository.pack()
  })
  after(() => repository.remove())
  const run = (script: string, given: Readonly<Record<string, string>>): ShellResult => repository.shell(['sh', '-xe', '-c', script], { ...environment, ...given })

  it('is balanced, publishes the reports, and has scripts that Groovy does not change', () => {
    for (const [open, close] of ['{}', '()', '[]']) assert.equal(text.split(open).length, text.split(close).length, open)
    assert.match(text, /junit testResults: 'detection-content-reports\/\*\.xml'/)
    assert.match(text, /recordIssues enabledForFailure: true, tools: \[sarif\(pattern: 'detection-content-reports\/\*\.sarif'\)\]/)
    assert.equal(scripts.length, 3)
    // In double quotes, Groovy would insert the values into the script.
    assert.doesNotMatch(text, /\bsh\s+"|"""/)
    assert.match(environment.DETECTION_CONTENT_PACKAGE, new RegExp(`^git\\+https://.*#v${VERSION}$`))
  })

  it('has scripts without faults that shellcheck finds', { skip: missingOf(['shellcheck']) }, () => {
    for (const input of scripts) {
      const { status, stdout } = spawnSync('shellcheck', ['--shell=sh', '--severity=warning', '-'], { input, encoding: 'utf8' })
      assert.equal(status, 0, stdout)
    }
  })

  it('installs a tag of a Git repository, and a name on npm', { skip: skipGit }, async () => {
    const { bare } = repository.repositoryOfPackage()
    const npm = await repository.publish()
    for (const name of [`git+file://${bare}#v${VERSION}`, `detection-content@${VERSION}`]) {
      const { code, stderr } = run(scripts[0], { ...npm, DETECTION_CONTENT_PACKAGE: name })
      assert.equal(code, 0, stderr)
      assert.ok(repository.has('.detection-content/node_modules/.bin/detection-content'))
    }
  })

  it('installs the package once, validates and tests', { skip }, () => {
    const [install, validate, test] = scripts
    const given = { DETECTION_CONTENT_PACKAGE: tarball }
    const installed = run(install, given)
    assert.equal(installed.code, 0, installed.stderr)
    repository.tool('npm', 'exit 7')
    assert.equal(run(install, given).code, 0)
    assert.equal(run(install, { DETECTION_CONTENT_PACKAGE: '$(touch pwned)' }).code, 7)
    assert.ok(!repository.has('pwned'))
    // The failed installation left nothing behind that would pass as installed.
    assert.ok(!repository.has('.detection-content/package'))
    repository.tool('npm', `exec '${join(process.execPath, '../npm')}' "$@"`)
    run(install, given)
    // The content of this repository needs its base; on the reference its parent is missing.
    assert.equal(run(validate, given).code, 1)
    assert.match(repository.read(`${REPORTS}/validate.sarif`), /"rule_parent_missing"/)
    const onReference = { ...given, DETECTION_CONTENT_PATH: 'own' }
    repository.write('own/rules/own.xml', LOST.replace('99999', '5710'))
    const fine = run(validate, onReference)
    assert.equal(fine.code, 0, fine.stdout)
    assert.equal(run(test, onReference).code, 1)
    assert.match(repository.read(`${REPORTS}/test.xml`), /tests="1" failures="1"/)
  })
})
