/**
 * Releases the version in `package.json`: a tag, the package on npm, and an image.
 *
 *     npm run release                 says what would be done, and packs the package without writing it
 *     npm run release -- --publish    does it, and stops at the first command that fails
 *
 * Each command is one that a person could type; docker/ci/README.md says what each is for.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
/** Files that name the version, with the form in which they do. */
const NAMED_IN = [
  ['package-lock.json', (version) => `"version": "${version}"`],
  ['CHANGELOG.md', (version) => `## [${version}] - `],
  ['docker/helm/Chart.yaml', (version) => `appVersion: ${version}`],
  ['docker/ci/README.md', (version) => `#v${version}`],
  ['docker/ci/github/example.yml', (version) => `@v${version}`],
  ['docker/ci/gitlab/example.yml', (version) => `ref: v${version}`],
  ['docker/ci/gitlab/detection-content.yml', (version) => `DETECTION_CONTENT_VERSION: ${version}\n`],
  ['docker/ci/jenkins/Jenkinsfile', (version) => `#v${version}'`],
  ['docker/ci/git-hook/pre-commit', (version) => `#v${version}\n`],
]

const { name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const publishes = process.argv[2] === '--publish'
if (process.argv.length > 3 || (process.argv.length === 3 && !publishes)) fail('the only option is --publish', 2)

const outdated = NAMED_IN.filter(([path, form]) => !readFileSync(join(ROOT, path), 'utf8').includes(form(version))).map(([path]) => path)
if (outdated.length > 0) fail(`other versions than ${version} are in ${outdated.join(', ')}`)
const changed = spawnSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' }).stdout.trim()
if (changed !== '' && publishes) fail(`the working tree is not clean:\n${changed}`)
if (changed !== '') console.log('The working tree is not clean: --publish would refuse it.')

const image = `${process.env.IMAGE ?? name}:${version}`
const hasDocker = spawnSync('docker', ['--version']).status === 0
if (!hasDocker) console.log('There is no Docker here: no image would be built.')
const commands = [
  ['git', 'tag', '--annotate', `v${version}`, '--message', `Version ${version}`],
  ['git', 'push', 'origin', `v${version}`],
  ['npm', 'publish'],
  ...(hasDocker
    ? [
        ['docker', 'build', '--file', 'docker/Dockerfile', '--tag', image, '.'],
        ['docker', 'push', image],
      ]
    : []),
]
if (!publishes) run(['npm', 'pack', '--dry-run'])
for (const command of commands) {
  console.log(`$ ${command.join(' ')}`)
  if (publishes) run(command)
}

/** @param {string[]} command */
function run([program, ...args]) {
  const { status, error } = spawnSync(program, args, { cwd: ROOT, stdio: 'inherit' })
  if (status !== 0) fail(error?.message ?? `${program} ${args[0]} ended with ${status}`)
}

/** @param {string} reason */
function fail(reason, code = 1) {
  console.error(`release: ${reason}`)
  process.exit(code)
}
