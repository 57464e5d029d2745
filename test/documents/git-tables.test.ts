/** The tables of server/GIT.md have the numbers of the constants, and the codes of the error table. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { ERRORS } from '../../server/core/errors.js'
import { BRANCHES_LIMIT, CALL_TIMEOUT_MS, FETCH_BYTES, FILE_BYTES, REPOSITORIES_LIMIT, TREE_LIMIT } from '../../server/features/connections/gateways/git/gateway.js'
import { PROVIDERS } from '../../server/features/connections/gateways/providers.js'
import { THROTTLES } from '../../server/core/auth/throttles.js'
import { LISTS_BYTES, LISTS_LIMIT, XML_BYTES } from '../../server/content/shared/content.js'
import { SOURCE_FILES_LIMIT } from '../../server/content/shared/workspace.js'
import { SKIP_REASONS } from '../../server/features/connections/git-bindings/read-repository.js'
import { INTERVAL_LIMIT_MINUTES } from '../../server/features/connections/git-bindings/schema.js'
import { BINDINGS_LIMIT } from '../../server/features/connections/git-bindings/service.js'
import { CHECKS_LIMIT } from '../../server/features/connections/git-checks/service.js'
import { CHECK_DELAY_MS } from '../../server/features/connections/git-checks/job.js'
import { PUBLISH_TIMEOUT_MS } from '../../server/features/connections/git-publish/lease.js'
import { INTEGRATIONS_LIMIT } from '../../server/features/connections/integrations/service.js'
import { OPEN_RUNS_LIMIT } from '../../server/features/connections/pipeline-runs/service.js'
import { readPage } from './pages.js'

const PAGE = readPage('server/GIT.md')
const MEGABYTE = 1024 * 1024
const number = (value: number): string => value.toLocaleString('en-US')

/** Beginnings of rows of the table of limits, and other sentences with a number. */
const LIMITS = [
  `| integrations, bindings of an organization | ${INTEGRATIONS_LIMIT}, ${BINDINGS_LIMIT} |`,
  `| rules, decoders of a binding | ${XML_BYTES / MEGABYTE} MiB each |`,
  `| lists of a binding | ${LISTS_LIMIT}, with ${LISTS_BYTES / MEGABYTE} MiB together |`,
  `| files of a binding | ${number(SOURCE_FILES_LIMIT)} |`,
  `| one file | ${FILE_BYTES / MEGABYTE} MiB |`,
  `| files in the tree of a commit | ${number(TREE_LIMIT)} |`,
  `| plain Git: what is fetched, one commit deep | ${FETCH_BYTES / MEGABYTE} MiB |`,
  `| repositories, branches that are listed | ${number(REPOSITORIES_LIMIT)} |`,
  `| one call of a provider | ${CALL_TIMEOUT_MS / 1000} s |`,
  `| a publication until its commit | ${PUBLISH_TIMEOUT_MS / 1000} s |`,
  `| checks of a binding that wait or run | ${CHECKS_LIMIT} |`,
  `| deliveries of a binding's webhook with the right signature | ${THROTTLES.gitDeliveries.limit} a minute |`,
  `(1 to ${number(INTERVAL_LIMIT_MINUTES)}; 0: off)`,
]

test('the page on Git has the limits of the constants', () => {
  assert.equal(BRANCHES_LIMIT, REPOSITORIES_LIMIT)
  assert.ok(readPage('server/INTEGRATIONS.md').includes(`An integration may have ${OPEN_RUNS_LIMIT} runs that have not ended (409)`))
  assert.deepEqual([CHECK_DELAY_MS, THROTTLES.gitDeliveries.windowSeconds], [3000, 60])
  assert.deepEqual(
    LIMITS.filter((text) => !PAGE.includes(text)),
    [],
  )
})

test('the page on Git says what to do about every code of a provider and of Git', () => {
  const codes = new Set(Object.values(ERRORS).map(({ code }) => code as string))
  const table = PAGE.slice(PAGE.indexOf('\n## Errors\n'), PAGE.indexOf('\n## What is stored\n'))
  const expected = [...codes].filter((code) => /^(?:provider|git|review)_/.test(code)).sort()
  assert.ok(expected.length > 10)
  assert.deepEqual(
    expected.filter((code) => !table.includes(`\`${code}\``)),
    [],
  )
})

test('the page on Git has every provider, and every reason for which a file is skipped', () => {
  assert.deepEqual(
    PROVIDERS.git.filter((provider) => !PAGE.includes(`| \`${provider}\``)),
    [],
  )
  assert.deepEqual(
    SKIP_REASONS.filter((reason) => !PAGE.includes(`\`${reason}\``)),
    [],
  )
})
