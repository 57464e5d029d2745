/** The report as a page for printing, in the requested language, of small and large projects. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ProjectRecord } from '../../server/content/projects/schema.js'
import { PRINTED } from '../../server/core/report-page/table.js'
import { type Actor, bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createProject, GOOD_LOGIN } from '../support/projects.js'
import { scopeOf, storeCase } from '../support/stored-cases.js'
import { DEFAULT_STORE } from '../support/stores.js'

const EMPTY = { rules_xml: '', decoders_xml: '' }

describe(`the page of a report, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor

  before(async () => {
    app = await startTestApp()
    admin = await bootstrap(app.client)
  })
  after(() => app?.close())

  const page = async ({ id }: Pick<ProjectRecord, 'id'>, locale = 'en-US'): Promise<string> => {
    const { status, text } = await admin.client.get(`/platform/projects/${id}/report`, { headers: { Accept: 'text/html', 'x-locale': locale } })
    assert.equal(status, 200, text)
    return text
  }

  test('compares the facts with every line of the policy, also those that pass', async () => {
    const project = await createProject(admin)
    await storeCase(scopeOf(app, admin), project, { event_text: GOOD_LOGIN, expected_rule: '100100' })
    const text = await page(project)
    for (const row of [
      'Minimum quality score</td><td class="number">70</td><td class="number">90<',
      'Maximum errors</td><td class="number">0</td><td class="number">0<',
      'Maximum warnings</td><td class="number">no limit</td><td class="number">0<',
      'Every case passes</td><td class="number">yes</td><td class="number">yes<',
      'Minimum number of cases</td><td class="number">0</td><td class="number">1<',
      'An approved review of this content</td><td class="number">not required</td><td class="number">–<',
    ])
      assert.ok(text.includes(row), `${row}\n${text}`)
    assert.equal((await admin.client.patch(`/platform/projects/${project.id}/quality-gate`, { require_approved_review: true })).status, 200)
    assert.ok((await page(project)).includes('An approved review of this content</td><td class="number">yes</td><td class="number"><span class="bad">no</span>'))
    assert.ok((await page(project, 'pt-BR')).includes('Máximo de avisos</td><td class="number">sem limite</td>'))
  })

  test('of an empty project says so', async () => {
    const project = await createProject(admin, { ...EMPTY, description: '' })
    const text = await page(project)
    assert.match(text, /has no rules and no decoders yet/)
    assert.match(text, /There are no rules to test\./)
    assert.match(text, /The project has no cases\./)
    assert.doesNotMatch(text, /<p[^>]*><\/p>|0 of 0 rules/)
    assert.match(await page(project, 'pt-BR'), /ainda não tem regras nem decoders/)
  })

  test('formats numbers and dates for the language', async () => {
    const rules = Array.from({ length: 1200 }, (_, i) => `<rule id="${100100 + i}" level="3"><if_sid>99999</if_sid><description>x</description></rule>`).join('\n')
    const project = await createProject(admin, { rules_xml: `<group name="x,">\n${rules}\n</group>` })
    const [english, portuguese] = [await page(project), await page(project, 'pt-BR')]
    assert.match(english, /Errors in the content: 1,200\./)
    assert.match(portuguese, /Erros no conteúdo: 1\.200\./)
    assert.match(english, /Created on [A-Z][a-z]+ \d{1,2}, \d{4} at \d{1,2}:\d{2}.[AP]M \(UTC\)\./)
    assert.match(portuguese, /Criado em \d{1,2} de [a-zç]+ de \d{4} às \d{2}:\d{2} \(UTC\)\./)
    // Line numbers are not formatted as amounts.
    assert.match(portuguese, /project_rules\.xml:\d+</)
  })

  test('prints the first of many diagnostics and cases, and their number', async () => {
    const rules = Array.from({ length: PRINTED + 20 }, (_, i) => `<rule id="${100100 + i}" level="3"><if_sid>99999</if_sid><description>x</description></rule>`).join('\n')
    const project = await createProject(admin, { rules_xml: `<group name="x,">\n${rules}\n</group>` })
    const scope = scopeOf(app, admin)
    for (let i = 0; i < PRINTED + 5; i++) await storeCase(scope, project, { name: `case ${i}`, event_text: GOOD_LOGIN, expected_rule: '100100' }, i)
    const text = await page(project)
    assert.match(text, new RegExp(`The first ${PRINTED} of ${PRINTED + 5} are shown`))
    assert.equal(text.match(/<td>case \d+<\/td>/g)?.length, PRINTED)
    assert.equal(text.match(/<td class="solid">Error<\/td>/g)?.length, PRINTED)
  })

  test('prints the first of many techniques, and of many rules that name one', async () => {
    const rule = (i: number) => `<rule id="${100100 + i}" level="3"><match>x</match><description>x</description><mitre><id>T1110</id><id>T${2000 + i}</id></mitre></rule>`
    const rules = Array.from({ length: PRINTED + 20 }, (_, i) => rule(i)).join('\n')
    const project = await createProject(admin, { rules_xml: `<group name="x,">\n${rules}\n</group>` })
    const text = await page(project)
    const attack = text.slice(text.indexOf('<h2>ATT&amp;CK'), text.indexOf('<h2>Versions'))
    assert.equal(attack.match(/<tr><td/g)?.length, PRINTED)
    // The rules that name the first one, and the techniques.
    assert.match(attack, new RegExp(`${100100 + PRINTED - 1}, … <span class="quiet">The first ${PRINTED} of ${PRINTED + 20} are shown`))
    assert.match(attack, new RegExp(`<p class="quiet">The first ${PRINTED} of ${PRINTED + 21} are shown`))
  })

  test('repeats table heads on every printed page, and splits neither rows nor cases', async () => {
    const project = await createProject(admin)
    await storeCase(scopeOf(app, admin), project, { name: 'two', event_text: GOOD_LOGIN, expected_rule: '100101', expected_decoder: 'none' })
    const text = await page(project)
    const print = text.slice(text.indexOf('@media print'), text.indexOf('</style>'))
    assert.match(print, /thead \{ display: table-header-group; \}/)
    assert.match(print, /\btr, [^{]*\.cases tbody \{ break-inside: avoid; \}/)
    assert.match(print, /counter\(page\)/)
    for (const table of text.match(/<table[\s\S]*?<\/table>/g) ?? []) assert.match(table, /<thead><tr>(<th scope="col"( class="\w+")?>[^<]+<\/th>)+<\/tr><\/thead>/)
    // Each case is a separate group of rows.
    assert.match(text, /<tbody>\n<tr><td>two<\/td>.*\n<tr><td><\/td>.*\n<\/tbody>/)
  })

  test('isolates right-to-left names from the text around them', async () => {
    const project = await createProject(admin, { name: 'קבוצה (1)', description: 'first line\nsecond line' })
    const { body } = await admin.client.post<{ id: string }>(`/platform/projects/${project.id}/versions`, { name: 'גרסה' })
    await admin.client.patch(`/platform/projects/${project.id}/quality-gate`, { min_quality_score: 0 })
    assert.equal((await admin.client.post(`/platform/projects/${project.id}/versions/${body.id}/publish`)).status, 200)
    const text = await page(project)
    assert.ok(text.includes('<h1>Quality report: <bdi>קבוצה (1)</bdi></h1>'))
    assert.ok(text.includes('<title>Quality report: קבוצה (1)</title>'))
    assert.ok(text.includes('Published version: <bdi>גרסה</bdi>.'))
    assert.ok(text.includes('<p class="description">first line\nsecond line</p>'))
  })
})
