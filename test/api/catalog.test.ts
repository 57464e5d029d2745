/** Catalogs of a project's rules and decoders: their fields and filters, and content that cannot be listed. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { AnalysisPool, type DecoderCatalogItem, type RuleCatalogItem } from '#workers'
import type { ProjectRecord } from '../../server/content/projects/schema.js'
import { newId } from '../../server/core/storage/id.js'
import { type Actor, addMember, bootstrap, createKey, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Answer, Refusal } from '../support/client.js'
import { createProject, DECODERS_XML, openWorkspace, RULES_XML } from '../support/projects.js'
import { DEFAULT_STORE } from '../support/stores.js'
import { SIGNUP } from './steps.js'

describe(`catalogs, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor
  let project: ProjectRecord

  before(async () => {
    app = await startTestApp({ env: SIGNUP })
    admin = await bootstrap(app.client)
    project = await createProject(admin)
  })
  after(() => app?.close())

  const rules = (query = '', of = project): Promise<Answer<RuleCatalogItem[]>> => admin.client.get<RuleCatalogItem[]>(`/platform/projects/${of.id}/rules${query}`)
  const decoders = (query = '', of = project): Promise<Answer<DecoderCatalogItem[]>> => admin.client.get<DecoderCatalogItem[]>(`/platform/projects/${of.id}/decoders${query}`)
  const ids = async (query: string, of = project): Promise<string[]> => {
    const { status, body, text } = await rules(query, of)
    assert.equal(status, 200, text)
    return body.map(({ rule_id }) => rule_id)
  }
  const names = async (query: string, of = project): Promise<string[]> => {
    const { status, body, text } = await decoders(query, of)
    assert.equal(status, 200, text)
    return body.map(({ name }) => name)
  }

  test('have every field of a rule', async () => {
    // Below the templates of the categories, without which no rule has a place.
    const { body } = await rules('?rule_ids=100101', await createProject(admin, { include_disk_defaults: true }))
    assert.deepEqual(body, [
      {
        rule_id: '100101',
        level: 5,
        description: 'VPN: login failed',
        groups: ['vpn', 'authentication_failed'],
        decoded_as: null,
        source_file: 'project_rules.xml',
        source_line: 6,
        source_scope: 'adhoc',
        overwrites: null,
        dependency_count: 1,
        depends_on: ['100100'],
        dependent_rule_count: 0,
        field_matcher_count: 1,
        uses_frequency: false,
        uses_correlation: false,
        noalert: false,
        attack_ids: ['T1110'],
      },
    ])
  })

  test('have every field of a decoder', async () => {
    const { body, headers } = await decoders('', await createProject(admin, { include_disk_defaults: true }))
    assert.equal(headers.get('x-total-count'), '2')
    assert.deepEqual(body, [
      {
        name: 'vpn',
        parent: null,
        source_file: 'project_decoders.xml',
        source_line: 1,
        source_scope: 'adhoc',
        order: [],
        child_count: 1,
        referenced_rule_count: 1,
        reachable_from_rule: true,
        has_regex: false,
        chain_depth: 0,
        fts_fields: [],
      },
      {
        name: 'vpn-login',
        parent: 'vpn',
        source_file: 'project_decoders.xml',
        source_line: 5,
        source_scope: 'adhoc',
        order: ['action', 'user', 'srcip'],
        child_count: 0,
        referenced_rule_count: 1,
        reachable_from_rule: true,
        has_regex: true,
        chain_depth: 1,
        fts_fields: [],
      },
    ])
  })

  describe('work for content on the reference ruleset', () => {
    let own: ProjectRecord

    before(async () => {
      own = await createProject(admin, {
        name: 'On the reference ruleset',
        include_disk_defaults: true,
        rules_xml: `${RULES_XML}
<group name="sshd,local,">
  <rule id="5716" level="9" overwrite="yes">
    <match>^Failed|^error: PAM: Authentication</match>
    <description>sshd: login failed, as we see it</description>
    <mitre><id>T1110.001</id></mitre>
  </rule>
  <rule id="100200" level="10" frequency="5" timeframe="120">
    <if_matched_sid>100101</if_matched_sid>
    <same_source_ip />
    <description>VPN: many failed logins</description>
  </rule>
  <rule id="100201" level="0" noalert="1">
    <if_sid>5716</if_sid>
    <description>Below a rule of the reference ruleset</description>
  </rule>
</group>`,
      })
    })

    test('list own items, with counts over everything', async () => {
      const { body, headers } = await rules('', own)
      assert.equal(headers.get('x-total-count'), String(body.length))
      assert.deepEqual(new Set(body.map(({ source_scope }) => source_scope)), new Set(['adhoc']))
      assert.deepEqual(
        body
          .filter(({ rule_id }) => rule_id.startsWith('1002'))
          .map(({ rule_id, depends_on, uses_frequency, uses_correlation, noalert }) => [rule_id, depends_on, uses_frequency, uses_correlation, noalert]),
        [
          ['100200', ['100101'], true, true, false],
          ['100201', ['5716'], false, false, true],
        ],
      )
      assert.equal(body.find(({ rule_id }) => rule_id === '100101')?.dependent_rule_count, 1)
    })

    test('list the reference ruleset, and everything', async () => {
      const count = async (query: string): Promise<number> => Number((await rules(`?limit=1&${query}`, own)).headers.get('x-total-count'))
      const shipped = await count('scope=default')
      assert.ok(shipped > 1000)
      assert.equal(await count('scope=custom'), 0)
      assert.equal(await count('scope=all'), shipped + (await count('scope=own')))
      const first = (await rules('?scope=all&limit=2', own)).body
      assert.deepEqual(
        first.map(({ source_scope }) => source_scope),
        ['default', 'default'],
      )
      const { headers } = await decoders('?scope=all&limit=1', own)
      assert.ok(Number(headers.get('x-total-count')) > 400)
      assert.match(headers.get('link') ?? '', /rel="next"/)
    })

    test('name the definition that a rule of the project overwrites', async () => {
      const [mine] = (await rules('?rule_ids=5716', own)).body
      if (mine === undefined) assert.fail('the overwritten rule is not listed')
      assert.equal(mine.level, 9)
      assert.equal(mine.source_file, 'project_rules.xml')
      assert.equal(mine.overwrites?.source_scope, 'default')
      assert.match(mine.overwrites?.source_file ?? '', /sshd/)
      assert.deepEqual(await ids('?scope=default&rule_ids=5716', own), [])
      assert.deepEqual(await ids('?depends_on=5716', own), ['100201'])
    })

    test('filter by level, group, technique, decoder, file and text, as Wazuh does', async () => {
      assert.deepEqual(await ids('?level=5', own), ['100101'])
      assert.deepEqual(new Set(await ids('?level=9-10', own)), new Set(['5716', '100200']))
      assert.deepEqual(await ids('?group=authentication_failed', own), ['100101'])
      assert.deepEqual(new Set(await ids('?attack_id=T1110', own)), new Set(['100101', '5716']))
      assert.deepEqual(await ids('?attack_id=t1110.001', own), ['5716'])
      assert.deepEqual(await ids('?decoded_as=vpn', own), ['100100'])
      assert.deepEqual(await ids('?search=MANY%20FAILED', own), ['100200'])
      assert.deepEqual(new Set(await ids('?search=10020', own)), new Set(['100200', '100201']))
      assert.deepEqual(await ids('?source_file=project_rules.xml&rule_ids=100100,5710', own), ['100100'])
      assert.deepEqual(await ids('?source_file=0030-sshd.xml', own), [])
      assert.ok((await ids('?scope=default&source_file=0030-sshd.xml', own)).includes('5710'))
      assert.deepEqual(await ids('?level=5&search=nowhere', own), [])
      assert.deepEqual(await names('?parent=none', own), ['vpn'])
      assert.deepEqual(await names('?parent=vpn', own), ['vpn-login'])
      assert.deepEqual(await names('?name=vpn-login&search=LOGIN&source_file=project_decoders.xml', own), ['vpn-login'])
      assert.deepEqual(await names('?name=vpn-log', own), [])
    })

    test('are sorted and paged, with the total and links to adjacent pages', async () => {
      const all = await ids('?sort=rule_id', own)
      assert.deepEqual(all, ['5716', '100100', '100101', '100200', '100201'])
      assert.deepEqual(await ids('?sort=rule_id&order=desc', own), [...all].reverse())
      assert.deepEqual((await ids('?sort=level&order=desc', own)).slice(0, 2), ['100200', '5716'])
      const { body, headers } = await rules('?sort=rule_id&limit=2&offset=2', own)
      assert.deepEqual(
        body.map(({ rule_id }) => rule_id),
        all.slice(2, 4),
      )
      assert.equal(headers.get('x-total-count'), '5')
      for (const rel of ['first', 'prev', 'next', 'last']) assert.match(headers.get('link') ?? '', new RegExp(`rel="${rel}"`))
      assert.deepEqual(await names('?sort=child_count&order=desc', own), ['vpn', 'vpn-login'])
    })
  })

  test('refuse invalid filters', async () => {
    const wrong = [
      'level=17',
      'level=5-',
      'level=10-5',
      'level=x',
      'scope=adhoc',
      'scope=',
      'rule_ids=1,,2',
      'rule_ids=1000000',
      'depends_on=x',
      'sort=groups',
      'limit=201',
      'search=',
      'name=x',
    ]
    for (const query of wrong) {
      const { status, body } = await admin.client.get<Refusal>(`/platform/projects/${project.id}/rules?${query}`)
      assert.equal(status, 422, query)
      assert.equal((body.details.errors as { path: string }[])[0].path, `query/${query.split('=')[0]}`)
    }
    const many = Array.from({ length: 201 }, (_, i) => i).join()
    assert.equal((await rules(`?rule_ids=${many}`)).status, 422)
    assert.equal((await decoders('?level=5')).status, 422)
  })

  test('report where content cannot be parsed, and list what has a place in a ruleset that would not load', async () => {
    const unreadable = await createProject(admin, { name: 'Unreadable', rules_xml: '<group name="x,">\n  <rule id="100001" level="3">\n</group>' })
    for (const list of ['rules', 'decoders']) {
      const { status, body } = await admin.client.get<Refusal>(`/platform/projects/${unreadable.id}/${list}`)
      assert.equal(status, 400)
      assert.equal(body.code, 'bad_request')
      const [diagnostic] = body.details.diagnostics as { filename: string; line: number; code: string }[]
      assert.equal(diagnostic.filename, 'project_rules.xml')
      assert.match(diagnostic.code, /^xml_/)
    }
    const half = await createProject(admin, {
      name: 'Does not load',
      include_disk_defaults: true,
      decoders_xml: `${DECODERS_XML}<decoder name="lost"><parent>nowhere</parent><prematch>x</prematch></decoder>`,
      rules_xml: `${RULES_XML}<group name="y,"><rule id="100300" level="3"><regex>(</regex><description>no pattern</description></rule></group>`,
    })
    assert.deepEqual(await ids('', half), ['100100', '100101'])
    const lost = (await decoders('?name=lost', half)).body
    assert.deepEqual(
      lost.map(({ chain_depth, reachable_from_rule }) => [chain_depth, reachable_from_rule]),
      [[1, false]],
    )
    const empty = await createProject(admin, { name: 'Empty', decoders_xml: '', rules_xml: '', include_disk_defaults: false })
    assert.deepEqual([await ids('', empty), await ids('?scope=all', empty), await names('', empty)], [[], [], []])
  })

  test('use the content of a workspace if it is named', async () => {
    const based = await createProject(admin, { name: 'With a workspace' })
    const other = await createProject(admin, { name: 'Without one' })
    const { id } = await openWorkspace(admin, based.id, { name: 'Trial', rules_xml: RULES_XML.replaceAll('100101', '100999') })
    assert.deepEqual(await ids(`?workspace_id=${id}`, based), ['100100', '100999'])
    assert.deepEqual(await ids('', based), ['100100', '100101'])
    assert.deepEqual(await names(`?workspace_id=${id}&scope=own`, based), ['vpn', 'vpn-login'])
    assert.equal((await rules(`?workspace_id=${id}`, other)).status, 404)
    assert.equal((await rules(`?workspace_id=${newId()}`, based)).status, 404)
  })

  test('are available to every member and to keys that may read projects, and not to other organizations', async () => {
    const reader = await addMember(admin, 'read_only')
    const key = await createKey(admin, ['projects:read'])
    const runner = await createKey(admin, ['analysis:run'])
    const other = await register(app.client, 'elsewhere')
    for (const list of ['rules', 'decoders']) {
      const path = `/platform/projects/${project.id}/${list}`
      assert.equal((await reader.client.get(path)).status, 200)
      assert.equal((await key.client.get(path)).status, 200)
      assert.equal((await runner.client.get(path)).status, 403)
      assert.equal((await other.client.get(path)).status, 404)
    }
  })
})

test('a catalog of content that takes too long to compile is refused with its diagnostics', async () => {
  const pool = new AnalysisPool({ workers: 1, taskTimeoutMs: 60, defaultRulesetDir: null })
  const app = await startTestApp({ pool })
  try {
    const admin = await bootstrap(app.client)
    const rules = Array.from(
      { length: 12_000 },
      (_, i) => `<rule id="${100_000 + i}" level="3"><match>text ${i}</match><pcre2>a${i}(b|c)+</pcre2><description>d ${i}</description></rule>`,
    )
    const project = await createProject(admin, { rules_xml: `<group name="large,">${rules.join('\n')}</group>` })
    const { status, body } = await admin.client.get<Refusal>(`/platform/projects/${project.id}/rules`)
    assert.equal(status, 400)
    assert.equal(body.code, 'bad_request')
    assert.deepEqual(
      (body.details.diagnostics as { code: string }[]).map(({ code }) => code),
      ['engine_timeout'],
    )
  } finally {
    await app.close()
    await pool.close()
  }
})
