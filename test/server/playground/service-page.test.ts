/** The page with content of the service that has sent it: signed in, opened, merged with what others save, and saved. With `SCREENSHOTS=DIR` states are written there as pictures. */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { ProjectRecord } from '../../../server/content/projects/schema.js'
import type { WorkspaceRecord } from '../../../server/content/workspaces/schema.js'
import { type Actor, addMember, bootstrap } from '../../support/actors.js'
import { startTestApp, type TestApp } from '../../support/app.js'
import { CHROMIUM_SKIP } from '../../support/chromium.js'
import { noSeriousViolation, writeInEditor } from '../../support/playground-steps.js'
import { PlaygroundBrowser, type PlaygroundTab } from '../../support/playground-tab.js'
import { createCase, createProject, openWorkspace, RULES_XML } from '../../support/projects.js'

const SCREENSHOTS = process.env.SCREENSHOTS ?? null
const KEPT = 'detection-content-playground.credential'

describe('the page with content of the service', { skip: CHROMIUM_SKIP }, () => {
  let browser: PlaygroundBrowser
  let app: TestApp
  let admin: Actor
  let project: ProjectRecord
  let workspace: WorkspaceRecord
  before(async () => {
    app = await startTestApp()
    admin = await bootstrap(app.client)
    project = await createProject(admin, { lists: [{ name: 'etc/lists/offices', content: 'north:1\n' }] })
    workspace = await openWorkspace(admin, project.id)
    await createCase(admin, project.id, { expected_rule: '100101' })
    browser = await PlaygroundBrowser.start()
  })
  after(async () => {
    await browser?.close()
    await app?.close()
  })

  const picture = async (page: Page, name: string): Promise<void> => {
    if (SCREENSHOTS === null) return
    mkdirSync(SCREENSHOTS, { recursive: true })
    await page.screenshot({ path: join(SCREENSHOTS, `service-${name}.png`) })
  }
  const fired = (page: Page, rule: string): Promise<void> => page.locator('.outcome .rule-id', { hasText: new RegExp(`^${rule}$`) }).waitFor()
  const open = (options: Parameters<PlaygroundBrowser['open']>[0] = {}): Promise<PlaygroundTab> => browser.open({ address: `${app.client.origin}/playground/`, ...options })
  const openDialog = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByRole('button', { name: 'Open from the service…' }).click()
  }
  const signIn = async (page: Page, credential: string, isKept = false): Promise<void> => {
    await openDialog(page)
    await page.getByLabel('API key or access token').fill(credential)
    if (isKept) await page.getByLabel('Keep it until this tab is closed').check()
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: /^VPN gateways/ }).click()
  }
  const currentRules = async (): Promise<string> => (await admin.client.get<WorkspaceRecord>(`/platform/projects/${project.id}/workspaces/${workspace.id}`)).body.rules_xml

  test('a workspace is opened, merged by rule with what others have saved, and saved', async () => {
    const { page, context, requests } = await open()
    await signIn(page, admin.token)
    await page.getByRole('button', { name: 'Workspace: New gateway model' }).waitFor()
    await noSeriousViolation(page, 'service dialog')
    await picture(page, 'choose')
    await page.getByRole('button', { name: 'Workspace: New gateway model' }).click()
    // The event of the case, and the case itself.
    await fired(page, '100101')
    await page.getByRole('tab', { name: /^Cases/ }).click()
    await page.getByText('1 of 1 pass').waitFor()
    await page.getByText(/^Project: gate/).waitFor()
    assert.deepEqual((await page.locator('.tabs-bar .tab').allTextContents()).sort(), ['lists/offices', 'project_decoders.xml', 'project_rules.xml'])
    await noSeriousViolation(page, 'workspace')
    await picture(page, 'workspace')

    // Nobody else saves.
    await page.locator('.tabs-bar .tab', { hasText: 'project_rules.xml' }).click()
    const mine = RULES_XML.replace('level="5"', 'level="6"')
    await writeInEditor(page, mine)
    await page.getByText('Level: expected').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save 1 change' }).waitFor()
    assert.equal(await currentRules(), RULES_XML)
    await page.keyboard.press('ControlOrMeta+s')
    await page.getByRole('button', { name: 'Everything is saved' }).waitFor()
    assert.equal(await currentRules(), mine)

    // Somebody saves another rule and a list, and the same rule.
    await writeInEditor(page, mine.replace('level="6"', 'level="7"'))
    const theirs = mine.replace('VPN: event', 'VPN: any event').replace('level="6"', 'level="12"')
    const patched = await admin.client.patch(`/platform/projects/${project.id}/workspaces/${workspace.id}`, {
      rules_xml: theirs,
      lists: [{ name: 'etc/lists/offices', content: 'north:9\n' }],
    })
    assert.equal(patched.status, 200, patched.text)
    await page.keyboard.press('ControlOrMeta+s')
    const dialog = page.getByRole('dialog', { name: 'project_rules.xml was changed in two places' })
    await dialog.getByRole('group', { name: 'Rule 100101' }).waitFor()
    assert.equal(await dialog.locator('.merge-item').count(), 1)
    assert.equal(await currentRules(), theirs)
    await noSeriousViolation(page, 'merge')
    await picture(page, 'merge')
    await dialog.getByRole('radio', { name: /^Yours/ }).check()
    await dialog.getByRole('button', { name: 'Use the merged text' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('ControlOrMeta+s')
    await page.getByRole('button', { name: 'Everything is saved' }).waitFor()
    assert.equal(await currentRules(), theirs.replace('level="12"', 'level="7"'))
    await page.locator('.tabs-bar .tab', { hasText: 'lists/offices' }).click()
    await page.locator('#editor .cm-content', { hasText: 'north:9' }).waitFor()

    // What others save is shown when one comes back to the page.
    await admin.client.patch(`/platform/projects/${project.id}/workspaces/${workspace.id}`, { lists: [{ name: 'etc/lists/offices', content: 'north:10\n' }] })
    await page.evaluate("dispatchEvent(new Event('focus'))")
    await page.getByText('Somebody else has saved. You see it now.').waitFor()
    await page.locator('#editor .cm-content', { hasText: 'north:10' }).waitFor()

    // Cases as well: one is changed, and one is new.
    const [known] = (await admin.client.get<{ id: string }[]>(`/platform/projects/${project.id}/cases`)).body
    await admin.client.patch(`/platform/projects/${project.id}/cases/${known.id}`, { name: 'Renamed by somebody' })
    const other = await createCase(admin, project.id, { name: 'Made by somebody', expected_rule: '100101' })
    await page.evaluate("dispatchEvent(new Event('focus'))")
    await page.getByText('2 of 2 pass').waitFor()
    const names = () => page.locator('.case-name').evaluateAll((fields: { value: string }[]) => fields.map(({ value }) => value))
    assert.deepEqual(await names(), ['Renamed by somebody', 'Made by somebody'])
    // What was edited here stays, and is told; what was not is gone.
    await page.locator('.case-name').first().fill('Mine')
    await page.locator('.case-name').first().press('Enter')
    await page.getByRole('button', { name: 'Save 1 change' }).waitFor()
    await admin.client.patch(`/platform/projects/${project.id}/cases/${known.id}`, { name: 'Theirs' })
    await admin.client.delete(`/platform/projects/${project.id}/cases/${other.id}`)
    await page.evaluate("dispatchEvent(new Event('focus'))")
    await page.getByText('Somebody else has changed Mine as well.').waitFor()
    assert.deepEqual(await names(), ['Mine'])
    await page.keyboard.press('ControlOrMeta+s')
    await page.getByRole('button', { name: 'Everything is saved' }).waitFor()
    assert.deepEqual(
      (await admin.client.get<{ name: string }[]>(`/platform/projects/${project.id}/cases`)).body.map(({ name }) => name),
      ['Mine'],
    )

    // A case is another record.
    await page.getByRole('button', { name: 'Save as a case' }).click()
    await page.getByRole('button', { name: 'Save 1 change' }).click()
    await page.getByRole('button', { name: 'Everything is saved' }).waitFor()
    const cases = await admin.client.get<{ name: string }[]>(`/platform/projects/${project.id}/cases`)
    assert.equal(cases.body.length, 2)
    await page.getByRole('button', { name: 'Compare with the project' }).click()
    await page.getByText(/better, 1 worse|better, 0 worse/).waitFor()
    await picture(page, 'compared')

    // What is shared has no credential in it, and nothing was sent to another place.
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByLabel('Link').waitFor()
    assert.ok(requests.every((url) => url.startsWith(`${app.client.origin}/`) && !url.includes(admin.token)))
    assert.equal(await page.evaluate(`sessionStorage.getItem('${KEPT}')`), null)
    assert.ok(!page.url().includes('#'))
    await context.close()
  })

  test('the content of a project is read-only for those who may not write, and a key is kept if one wants', async () => {
    const reader = await addMember(admin, 'read_only')
    const { page, context } = await open()
    await signIn(page, reader.token, true)
    await page.getByRole('button', { name: 'The project’s own content' }).click()
    await page.getByText('You may read this, and not change it.').waitFor()
    await fired(page, '100101')
    assert.equal(await page.locator('#editor .cm-content').getAttribute('aria-readonly'), 'true')
    assert.equal(await page.evaluate(`sessionStorage.getItem('${KEPT}')`), reader.token)
    await page.getByRole('button', { name: 'Close, and go back to your own work' }).click()
    await fired(page, '5710')
    await openDialog(page)
    await page.getByRole('button', { name: 'Sign in with another key or token' }).click()
    assert.equal(await page.evaluate(`sessionStorage.getItem('${KEPT}')`), null)
    await page.getByLabel('API key or access token').fill('svk_wrong')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    await context.close()
  })

  test('the session of the browser is enough, in another language, and says where the base is another one', async () => {
    const { page, context } = await open({ locale: 'pt-BR', viewport: { width: 360, height: 780 }, colorScheme: 'dark' })
    await context.route(`${app.client.origin}/playground/`, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: (await response.text()).replace('data-reference="true"', 'data-reference="false"') })
    })
    await page.reload()
    await context.addCookies([{ name: 'service_session', value: admin.token, url: app.client.origin }])
    await page.getByRole('button', { name: 'Mais' }).click()
    await page.getByRole('menuitem', { name: 'Abrir do serviço…' }).click()
    await page.getByPlaceholder('Procurar um projeto').fill('gateways')
    await page.getByRole('button', { name: /^VPN gateways/ }).click()
    await picture(page, 'choose-phone')
    await page.getByRole('button', { name: 'Workspace: New gateway model' }).click()
    await page.locator('a.gate').waitFor()
    await page.getByText('Base diferente da do serviço').waitFor()
    const report = await context.request.get((await page.locator('a.gate').getAttribute('href')) as string, { headers: { Accept: 'text/html' } })
    assert.match(await report.text(), /VPN gateways/)
    await noSeriousViolation(page, 'phone')
    assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= 360)
    await picture(page, 'workspace-phone')
    // The service takes what the page of its own origin sends with the cookie.
    await page.getByRole('button', { name: 'Conteúdo' }).click()
    await page.locator('.tabs-bar .tab', { hasText: 'project_rules.xml' }).click()
    await writeInEditor(page, RULES_XML.replace('VPN: event', 'VPN: by phone'))
    await page.getByRole('button', { name: 'Salvar 1 mudança' }).click()
    await page.getByRole('button', { name: 'Tudo está salvo' }).waitFor()
    assert.match(await currentRules(), /VPN: by phone/)
    await context.close()
  })

  test('a page from another server has no way to a service', async () => {
    const { page, context } = await browser.open()
    await fired(page, '5710')
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByRole('dialog').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Open from the service…' }).count(), 0)
    await context.close()
  })
})
