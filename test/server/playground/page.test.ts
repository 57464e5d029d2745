/** The page of the playground in Chromium, as people use it. With `SCREENSHOTS=DIR` each state is written there as a picture. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { deflateRawSync, gzipSync, inflateRawSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { CHROMIUM_SKIP } from '../../support/chromium.js'
import { MANIFEST, readAssets } from '../../support/playground.js'
import { noSeriousViolation, POLL_MS, writeInEditor } from '../../support/playground-steps.js'
import { PlaygroundBrowser } from '../../support/playground-tab.js'
import { call, Workplace } from '../cli/call.js'

const SCREENSHOTS = process.env.SCREENSHOTS ?? null
/** More than a link or an archive may unpack to. */
const UNPACKED_BYTES = 40 * 1024 * 1024
const WINDOWS = { desktop: [1440, 900], tablet: [900, 1100], phone: [390, 844] } as const
const LANGUAGES = { 'en-US': { noProblems: 'No problems' }, 'pt-BR': { noProblems: 'Sem problemas' } } as const

describe('the page of the playground', { skip: CHROMIUM_SKIP }, () => {
  let browser: PlaygroundBrowser
  const workplace = new Workplace()
  before(async () => {
    browser = await PlaygroundBrowser.start()
  })
  after(async () => {
    await browser?.close()
    workplace.remove()
  })

  const picture = async (page: Page, name: string): Promise<void> => {
    if (SCREENSHOTS === null) return
    mkdirSync(SCREENSHOTS, { recursive: true })
    await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) })
  }
  /** The rules on the way, without those that were tried beside it. */
  const wayOf = (page: Page): Promise<string[]> =>
    page
      .locator('.pic-way')
      .evaluate((way: { querySelectorAll(selector: string): Iterable<{ firstChild: { textContent: string } }> }) =>
        Array.from(way.querySelectorAll('.pic-stage > .pic-line > .pic-choice:has(.pic-level)'), ({ firstChild }) => firstChild.textContent),
      )
  const answered = (page: Page, rule: string): Promise<void> => page.locator('.outcome .rule-id', { hasText: new RegExp(`^${rule}$`) }).waitFor()
  /** The policy of the page forbids Playwright's own waiting for an expression. */
  const until = async (isTrue: () => Promise<boolean>): Promise<void> => {
    while (!(await isTrue())) await setTimeout(POLL_MS)
  }
  /** The text of the file, without the levels that are shown in it. */
  const fileText = (page: Page): Promise<string> =>
    page.evaluate<string>(
      '[...document.querySelectorAll("#editor .cm-line")].map((line) => { const copy = line.cloneNode(true); for (const hint of copy.querySelectorAll(".level-hint")) hint.remove(); return copy.textContent }).join("\\n")',
    )

  for (const [locale, words] of Object.entries(LANGUAGES)) {
    test(`opens with an answer, in ${locale}, and asks nobody else`, async () => {
      const { page, context, requests, complaints } = await browser.open({ locale, colorScheme: locale === 'en-US' ? 'light' : 'dark' })
      await answered(page, '5710')
      assert.deepEqual(await wayOf(page), ['1', '5700', '5710'])
      assert.deepEqual(await page.locator('.event-text .pic-span:not(.pic-of-header)').allTextContents(), ['admin', '203.0.113.7', '50122'])
      assert.deepEqual(await page.locator('.pic-fields .pic-field-name').allTextContents(), ['timestamp', 'hostname', 'program_name', 'srcuser', 'srcip', 'srcport'])
      assert.equal(await page.locator('html').getAttribute('lang'), locale)
      for (const [window, [width, height]] of Object.entries(WINDOWS)) {
        await page.setViewportSize({ width, height })
        await page.getByText(words.noProblems).waitFor({ state: window === 'phone' ? 'attached' : 'visible' })
        const parts = window === 'phone' ? ['content', 'events', 'answer'] : ['answer']
        for (const [index, part] of parts.entries()) {
          if (window === 'phone') await page.locator('.switch button').nth(index).click()
          assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= width, part)
          assert.ok((await page.evaluate<number>('document.documentElement.scrollHeight')) <= height, part)
          await noSeriousViolation(page, `${window} ${locale} ${part}`)
          await picture(page, `${window}-${locale}-${part}`)
        }
      }
      assert.ok(requests.length > 5)
      assert.ok(requests.every((url) => url.startsWith(browser.address)))
      assert.deepEqual(complaints, [])
      await context.close()
    })
  }

  test('opens with an answer on a phone', async () => {
    const [width, height] = WINDOWS.phone
    const { page, context } = await browser.open({ viewport: { width, height } })
    await answered(page, '5710')
    await context.close()
  })

  test('a fault is marked, explained and corrected', async () => {
    const { page, context, complaints } = await browser.open()
    await answered(page, '5710')
    await writeInEditor(page, '<group name="own,">\n  <rule id="100200" level="5">\n    <if_sid>5710</if_sid>\n    <descripton>Unknown user 😀</descripton>\n  </rule>\n</group>\n')
    const problem = page.locator('.problem', { hasText: 'rule_element_unknown' })
    await problem.getByText('does not start').waitFor()
    await page.locator('.cm-lintRange-error').first().waitFor()
    assert.match((await page.locator('.cm-lintRange-error').first().textContent()) ?? '', /descripton/)
    await page.getByText('Wazuh would not start with this content. The problems').waitFor()
    await picture(page, 'fault')
    await noSeriousViolation(page, 'fault')
    await problem.getByRole('button', { name: 'Fix: write description' }).click()
    await answered(page, '100200')
    assert.match(await fileText(page), /<description>Unknown user 😀<\/description>/)
    assert.equal(await page.locator('.cm-lintRange-error').count(), 0)
    await page.locator('#editor .cm-content').focus()
    await page.keyboard.press('ControlOrMeta+z')
    await problem.waitFor()
    // An attack on a pattern has its event.
    await writeInEditor(
      page,
      '<group name="own,">\n  <rule id="100200" level="5">\n    <if_sid>5710</if_sid>\n    <user type="pcre2">^(\\w+\\.?)+$</user>\n    <description>d</description>\n  </rule>\n</group>\n',
    )
    await page.getByRole('button', { name: 'Open this event' }).press('Enter')
    await page.getByText('The event was added.').waitFor()
    await page.locator('.event-text', { hasText: /a{20}/ }).waitFor()
    // Chromium itself styles a text that is inserted into another one; the editor draws it again.
    assert.deepEqual(
      complaints.filter((text) => !text.startsWith('Applying inline style')),
      [],
    )
    await context.close()
  })

  test('pasted events are recognized, counted in a session, and explained', async () => {
    const { page, context } = await browser.open()
    await answered(page, '5710')
    const add = page.getByLabel('Add events')
    const log = 'Jan  5 11:00:00 db1 sshd[9]: Accepted password for lia from 192.0.2.9 port 4711 ssh2'
    const json = JSON.stringify({ service: 'billing', amount: { eur: 950 } }, null, 2)
    const archived = JSON.stringify({
      timestamp: '2026-01-05T11:00:00.000+0000',
      agent: { id: '007', name: 'db1' },
      manager: { name: 'm' },
      id: '1.2',
      full_log: log,
      decoder: {},
      location: '/var/log/auth.log',
    })
    await add.fill([json, archived].join('\n'))
    await add.press('Enter')
    await page.locator('tr.event').nth(5).waitFor()
    await page.getByText('That was a record about a log').waitFor()
    await page.locator('tr.event', { hasText: 'lia' }).click()
    await answered(page, '5715')
    assert.match(await page.getByLabel('Location').inputValue(), /db1.*\/var\/log\/auth\.log/)
    await page.locator('tr.event', { hasText: 'billing' }).click()
    await page.locator('.pic-fields', { hasText: 'amount.eur' }).waitFor()
    // The pointer on a field lights its value, and the other way round.
    await page.locator('.pic-field', { hasText: 'amount.eur' }).hover()
    assert.equal(await page.locator('.event-text .pic-lit').textContent(), '950')
    await page.locator('.event-text .pic-span', { hasText: 'billing' }).hover()
    await page.locator('.pic-field.pic-lit', { hasText: 'service' }).waitFor()
    // Three events within two minutes of one session.
    await page.locator('tr.event').nth(1).click()
    await page.getByText('Session', { exact: true }).click()
    for (const number of [2, 3]) {
      await page.getByRole('button', { name: 'Again after 10 s' }).click()
      await page
        .locator('tr.event')
        .nth(4 + number)
        .waitFor()
    }
    await answered(page, '100101')
    await page.locator('.pic-time-row', { hasText: '100101' }).getByText('fired on event 4').waitFor()
    assert.equal(await page.locator('.pic-counted').count(), 2)
    await noSeriousViolation(page, 'session')
    await picture(page, 'session')
    await page.getByLabel('Seconds after').fill('500')
    await answered(page, '100100')
    await page.locator('.pic-time-row').first().waitFor({ state: 'detached' })
    await context.close()
  })

  test('why a rule or decoder does not match is shown with the character where it stopped', async () => {
    const { page, context } = await browser.open()
    await answered(page, '5710')
    await page.getByLabel('Add events').fill('Jan  5 10:11:12 web1 sshd[2201]: Invalid usr admin from 203.0.113.7 port 50122')
    await page.getByLabel('Add events').press('Enter')
    // What came near is found without asking.
    await page.locator('.pic-near .pic-choice', { hasText: '5710' }).waitFor()
    // A rule that was tried on the way.
    const tried = page.locator('.pic-way .pic-tried', { has: page.locator('.pic-choice', { hasText: /^5710/ }) })
    await tried.locator('summary').press('Enter')
    await tried.locator('.pic-choice', { hasText: /^5710/ }).click()
    await page.locator('.inspected', { hasText: 'Rule 5710 does not match.' }).getByText('Stopped at character 11').waitFor()
    assert.equal(await page.locator('.inspected .pic-caret').textContent(), 'r')
    await picture(page, 'why-not')
    await noSeriousViolation(page, 'why not')
    await page.locator('.pic-near .pic-choice', { hasText: 'sshd-invalid-user' }).press('Enter')
    await page.locator('.inspected', { hasText: 'Decoder sshd-invalid-user does not match.' }).getByText('Stopped at character 11').waitFor()
    await page.getByLabel('Rule id').fill('100110')
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await page.locator('.inspected', { hasText: 'Rule 100110 does not match.' }).waitFor()
    // What it costs is measured when somebody pauses.
    await page.locator('.pic-costs').waitFor()
    await page.locator('.inspected').getByRole('button', { name: 'Close' }).click()
    await page.locator('.inspected').waitFor({ state: 'detached' })
    await context.close()
  })

  for (const [window, [width, height]] of Object.entries(WINDOWS)) {
    test(`graph, map and matrix of the rules open in a window for a ${window}`, async () => {
      const isPhone = window === 'phone'
      const { page, context, complaints } = await browser.open({ viewport: { width, height }, colorScheme: isPhone ? 'dark' : 'light' })
      await answered(page, '5710')
      await page.getByRole('button', { name: 'Rule graph' }).click()
      const dialog = page.getByRole('dialog', { name: 'Ruleset' })
      const card = dialog.locator('.rule-card')
      await card.getByText('5710', { exact: true }).waitFor()
      const other = dialog.locator('.pic-graph').getByRole('button', { name: /100100/ })
      await other.press('Enter')
      await card.getByText('100100', { exact: true }).waitFor()
      assert.equal(await page.evaluate('document.activeElement.closest("dialog") === null'), false)
      await noSeriousViolation(page, `graph ${window}`)
      await picture(page, `graph-${window}`)
      await dialog.getByLabel('Rules of a file…').selectOption('local_rules.xml')
      await dialog.locator('.pic-branches-part', { hasText: '100110' }).waitFor()
      await dialog.getByRole('tab', { name: 'Rule graph' }).press('ArrowRight')
      await dialog.getByRole('application', { name: 'Map of the rules' }).press('ArrowRight')
      await dialog.locator('.pic-map-rule .pic-name').waitFor()
      await noSeriousViolation(page, `map ${window}`)
      await picture(page, `map-${window}`)
      await dialog.getByRole('tab', { name: 'ATT&CK' }).click()
      await dialog.getByRole('button', { name: 'T1110', exact: true }).first().click()
      await noSeriousViolation(page, `matrix ${window}`)
      await picture(page, `matrix-${window}`)
      assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= width)
      await dialog.locator('.technique-rules').getByRole('button', { name: '100100', exact: true }).click()
      await card.getByRole('button', { name: 'Why, or why not?' }).click()
      await page.locator('.inspected', { hasText: 'Rule 100100 does not match.' }).waitFor()
      assert.deepEqual(complaints, [])
      await context.close()
    })
  }

  test('work is shared by a link, without names if one wants, and what came by a link is not kept', async () => {
    const { page, context } = await browser.open()
    await answered(page, '5710')
    await page.locator('.event-text .cm-content').click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText('Jan  5 10:11:12 web1 sshd[2201]: Invalid user maria from 10.20.30.40 port 50122')
    await page.locator('.event-text .pic-span', { hasText: 'maria' }).waitFor()
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByText('The link contains 4 events.').waitFor()
    const link = page.getByLabel('Link')
    const plain = await link.inputValue()
    await page.getByLabel('Replace names and addresses first').check()
    await page.locator('.replacements', { hasText: '10.20.30.40' }).waitFor()
    await picture(page, 'share')
    await noSeriousViolation(page, 'share')
    await until(async () => (await link.inputValue()) !== plain)
    const fragment = new URL(await link.inputValue()).hash
    await context.close()

    const other = await browser.open({ fragment, locale: 'pt-BR' })
    await other.page.getByText('Isto veio por um link').waitFor()
    await answered(other.page, '5710')
    assert.match((await other.page.locator('.event-text .cm-content').textContent()) ?? '', /Jan {2}5 10:11:12 name\d sshd\[2201\]: Invalid user name\d from 192\.0\.2\.\d+ port/)
    await other.page.locator('.event-text .cm-content').click()
    await other.page.keyboard.insertText('x')
    await picture(other.page, 'link')
    // Longer than the page waits before it keeps its work.
    await other.page.waitForTimeout(1200)
    const kept =
      'new Promise((resolve) => { const open = indexedDB.open("detection-content-playground"); open.onsuccess = () => { const { result } = open; const names = [...result.objectStoreNames]; if (names.length === 0) return resolve(undefined); const get = result.transaction("kept").objectStore("kept").get("work"); get.onsuccess = () => resolve(get.result) } })'
    assert.equal(await other.page.evaluate(kept), undefined)
    await other.page.getByRole('button', { name: 'Guardar no lugar do meu' }).click()
    await until(async () => (await other.page.evaluate<string | undefined>(kept))?.includes('"events"') === true)
    const endless = `#w=${deflateRawSync(Buffer.alloc(UNPACKED_BYTES, ' ')).toString('base64url')}`
    assert.ok(endless.length < 60_000)
    for (const broken of ['#w=', '#w=AAAA', fragment.slice(0, 60), endless]) {
      const cut = await browser.open({ fragment: broken, context: other.context })
      await cut.page.getByText('O link não está completo').waitFor()
      await cut.page.close()
    }
    await other.context.close()
  })

  test('cases turn red and green while one types, and are exported with the content', async () => {
    const { page, context } = await browser.open()
    await answered(page, '5710')
    await page.locator('tr.event').nth(1).click()
    await answered(page, '100100')
    await page.getByRole('button', { name: 'Save as a case' }).click()
    await page.getByRole('button', { name: 'Another form of the case' }).click()
    await page.getByRole('menuitem', { name: /^As \.ini/ }).click()
    await page.getByRole('tab', { name: /^Cases/ }).click()
    await page.getByText('2 of 2 pass').waitFor()
    const text = await fileText(page)
    await writeInEditor(page, text.replace('level="10"', 'level="3"'))
    await page.getByText('Level: expected 10, got 3').nth(1).waitFor()
    await picture(page, 'case-red')
    await noSeriousViolation(page, 'case')
    await page.keyboard.press('ControlOrMeta+z')
    await page.getByText('2 of 2 pass').waitFor()

    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export' }).click()])
    const archive = readFileSync(await download.path())
    for (const [path, content] of unzip(archive)) workplace.write(path, content)
    const folder = join(workplace.folder, 'content')
    assert.deepEqual(await call(['validate', folder]).then(({ code }) => code), 0)
    const tested = await call(['test', '--custom', folder, join(workplace.folder, 'tests')])
    assert.equal(tested.code, 0, tested.stdout + tested.stderr)

    // Importing it gives the same.
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByLabel('Choose files or a zip').setInputFiles({ name: 'content.zip', mimeType: 'application/zip', buffer: archive })
    await page.getByText('Found 1 file of rules, 1 of decoders, 1 list and 2 cases.').waitFor()
    await picture(page, 'import')
    await page.getByRole('button', { name: 'Use them' }).click()
    await page.getByText('Imported.').waitFor()
    await page.getByRole('tab', { name: /^Events 4/ }).waitFor()
    await page.getByRole('tab', { name: /^Cases/ }).click()
    await page.getByText('2 of 2 pass').waitFor()
    // A suite as Wazuh's own ones are.
    const suite =
      '[Log-in: unknown]\nlog 1 pass = Jan  5 10:11:40 web1 sshd[2204]: Invalid user guest from 192.0.2.44 port 41877\nrule = 5710\nalert = 5\ndecoder = sshd\nruel = 1\n'
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByLabel('Choose files or a zip').setInputFiles({ name: 'sshd.ini', mimeType: 'text/plain', buffer: Buffer.from(suite) })
    await page.getByText('1 line or section of an .ini suite is no case.').waitFor()
    await page.getByRole('button', { name: 'Use them' }).click()
    await page.getByText('1 of 1 pass').waitFor()
    await page.getByRole('button', { name: 'Show its events' }).click()
    await answered(page, '5710')
    assert.deepEqual((await page.locator('.tabs-bar .tab').allTextContents()).sort(), ['lists/watched', 'local_decoder.xml', 'local_rules.xml'])
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByLabel('Choose files or a zip').setInputFiles({ name: 'broken.zip', mimeType: 'application/zip', buffer: archive.subarray(0, 100) })
    await page.getByText('The zip cannot be read.').waitFor()
    await page
      .getByLabel('Choose files or a zip')
      .setInputFiles({ name: 'bomb.zip', mimeType: 'application/zip', buffer: zipOf('rules/bomb.xml', Buffer.alloc(UNPACKED_BYTES, ' ')) })
    await page.getByText('It is too large.').waitFor()
    await context.close()
  })

  test('a rule of the base is opened, and overridden in the own content', async () => {
    const { page, context } = await browser.open()
    await answered(page, '5710')
    await page.getByRole('button', { name: 'Show the definition: 5710' }).click()
    await page.getByText('Part of the base, read-only').waitFor()
    await picture(page, 'stock')
    await page.getByRole('button', { name: 'Override rule 5710' }).click()
    await page.locator('#editor .cm-content', { hasText: 'overwrite="yes"' }).waitFor()
    await page.getByText('No problems').waitFor()
    await context.close()
  })

  test('the editor completes, helps, goes to definitions, renames and formats, by keys', async () => {
    const { page, context, complaints } = await browser.open()
    await answered(page, '5710')
    // The language server has answered.
    await page.locator('.level-hint', { hasText: 'level 5' }).first().waitFor()
    const keys = async (...pressed: string[]): Promise<void> => {
      for (const key of pressed) await page.keyboard.press(key)
    }
    const behindParent = async (line: number): Promise<void> => {
      await page.locator('#editor .cm-content').focus()
      await keys('ControlOrMeta+Home', ...Array<string>(line - 1).fill('ArrowDown'), 'End', ...Array<string>('</if_sid>'.length).fill('ArrowLeft'))
    }
    const contains = (page: Page, text: string): Promise<void> => until(async () => (await fileText(page)).includes(text))

    await writeInEditor(page, '<group name="own,">\n<!-- kept -->\n<rule id="100200" level="5">\n<if_sid>')
    await page.keyboard.insertText('unknown')
    await page.locator('.cm-tooltip-autocomplete li', { hasText: /^5710.*unknown user/ }).waitFor()
    // The editor leaves a person a moment to see the list.
    await setTimeout(2 * POLL_MS)
    await picture(page, 'completion')
    const options = await page.locator('.cm-tooltip-autocomplete li').allTextContents()
    await keys(...Array<string>(options.findIndex((text) => text.startsWith('5710'))).fill('ArrowDown'))
    await page.locator('.cm-tooltip-autocomplete li[aria-selected]', { hasText: /^5710/ }).waitFor()
    await keys('Enter')
    await contains(page, '<if_sid>5710')
    await page.keyboard.insertText('</if_sid>\n<description>Own</description>\n</rule>\n</group>\n')
    await answered(page, '100200')

    await page.locator('.cm-line', { hasText: '<if_sid>' }).getByText('if_sid').first().hover()
    await page.locator('.code-help', { hasText: 'Ids of parent rules' }).locator('pre').waitFor()
    await picture(page, 'help')
    await page.mouse.move(0, 0)
    await page.locator('.code-help').waitFor({ state: 'detached' })

    await behindParent(4)
    await keys('F12')
    await page.locator('.stock-name', { hasText: '0030-sshd.xml' }).waitFor()
    await page.locator('.cm-activeLine', { hasText: '<rule id="5710"' }).waitFor()
    const before = await fileText(page)
    await page.locator('#editor .cm-content').focus()
    await keys('x', 'Enter')
    assert.equal(await fileText(page), before)
    await page.getByRole('button', { name: 'Back to your files' }).click()
    await contains(page, '<!-- kept -->')

    await page.getByRole('button', { name: 'New file' }).click()
    await page.getByRole('menuitem', { name: 'Rules' }).click()
    await page.locator('.tabs-bar [aria-selected=true]', { hasText: 'local_rules_2.xml' }).waitFor()
    await writeInEditor(page, '<group name="two,">\n  <rule id="100300" level="3">\n    <if_sid>100200</if_sid>\n    <description>Two</description>\n  </rule>\n</group>\n')
    await contains(page, '100300')
    await behindParent(3)
    await keys('F2')
    const name = page.getByRole('dialog', { name: 'Rename 100200' }).getByLabel('New name')
    await name.fill('5710')
    await name.press('Enter')
    await page.getByRole('alert').getByText('Rule 5710 exists already').waitFor()
    await picture(page, 'rename')
    await noSeriousViolation(page, 'rename')
    await name.fill('100250')
    await name.press('Enter')
    await contains(page, '<if_sid>100250')
    const other = page.getByRole('tab', { name: 'local_rules.xml' })
    await other.click()
    await contains(page, '<rule id="100250"')
    await page.getByText('100200 is 100250 now, in 2 files.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await contains(page, '<rule id="100200"')
    await page.getByRole('tab', { name: 'local_rules_2.xml' }).click()
    await contains(page, '<if_sid>100200')
    // Doing it again in one file does it in the other.
    await page.locator('#editor .cm-content').focus()
    await keys('ControlOrMeta+y')
    await contains(page, '<if_sid>100250')
    await other.click()
    await contains(page, '<rule id="100250"')

    await page.locator('#editor .cm-content').focus()
    await keys('Alt+Shift+F')
    const formatted = '<group name="own,">\n  <!-- kept -->\n  <rule id="100250" level="5">\n    <if_sid>5710</if_sid>\n    <description>Own</description>\n  </rule>\n</group>\n'
    await contains(page, formatted)

    await keys('Alt+Shift+O')
    await page.locator('.place', { hasText: '100250' }).waitFor()
    await page.keyboard.type('two 1003')
    await page.locator('.place', { hasText: 'local_rules_2.xml' }).waitFor()
    await picture(page, 'outline')
    await noSeriousViolation(page, 'outline')
    await keys('Enter')
    await page.locator('.tabs-bar [aria-selected=true]', { hasText: 'local_rules_2.xml' }).waitFor()
    assert.deepEqual(
      complaints.filter((text) => !text.startsWith('Applying inline style')),
      [],
    )
    await context.close()
  })

  test('a ruleset of one’s own becomes the base, and is remembered if one wants', async () => {
    const { page, context } = await browser.open()
    await answered(page, '5710')
    const file = (name: string, content: string): { name: string; mimeType: string; buffer: Buffer } => ({ name, mimeType: 'text/xml', buffer: Buffer.from(content) })
    await page.getByRole('button', { name: 'Import' }).click()
    await page
      .getByLabel('Choose files or a zip')
      .setInputFiles([file('gate_rules.xml', '<group name="gate,"><rule id="900" level="7"><match>gate opened</match><description>Gate</description></rule></group>')])
    await page.getByLabel('Use them as the base').check()
    await page.getByLabel('Remember this base in this browser').check()
    await page.getByRole('button', { name: 'Use them' }).click()
    await page.getByLabel('Add events').fill('gate opened by mia')
    await page.getByLabel('Add events').press('Enter')
    await page.locator('.problem').first().waitFor()
    await page.getByRole('button', { name: 'New file' }).waitFor()
    const again = await browser.open({ context })
    await again.page.getByRole('button', { name: /^Base: gate_rules\.xml/ }).click()
    await picture(again.page, 'own-base')
    await again.page.getByRole('menuitemradio', { name: 'Reference ruleset' }).click()
    await answered(again.page, '5710')
    await context.close()
  })

  test('the language and the colours are chosen, and kept', async () => {
    const { page, context } = await browser.open()
    await answered(page, '5710')
    await writeInEditor(page, '<group name="own,">\n  <rule id="100200" level="5">\n    <if_sid>99999</if_sid>\n    <description>Lost</description>\n  </rule>\n</group>\n')
    await page.locator('.problem', { hasText: 'In Wazuh:' }).waitFor()
    await page.getByRole('button', { name: 'EN: English' }).click()
    await page.getByRole('menuitemradio', { name: 'Português' }).click()
    await page.locator('.problem', { hasText: 'No Wazuh:' }).waitFor()
    await page.getByRole('button', { name: 'Cores' }).click()
    await page.getByRole('menuitemradio', { name: 'Cores: Escuro' }).click()
    await page.locator('html[data-theme=dark]').waitFor()
    const again = await browser.open({ context })
    await again.page.locator('html[data-theme=dark][lang=pt-BR]').waitFor()
    await context.close()
  })

  test('everything is reached with the keyboard', async () => {
    const { page, context } = await browser.open()
    await answered(page, '5710')
    await page.keyboard.press('Alt+Shift+E')
    await page.locator('tr.event:focus').waitFor()
    await page.keyboard.press('ArrowDown')
    await answered(page, '100100')
    await page.keyboard.press('ArrowDown')
    await answered(page, '5715')
    await page.keyboard.press('Delete')
    await answered(page, '100110')
    // Undo is offered for some seconds.
    await page.getByRole('button', { name: 'Undo' }).press('Enter')
    await page.locator('tr.event').nth(3).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await picture(page, 'keys')
    await noSeriousViolation(page, 'keys')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    // Tab goes around the page, and leaves the editor after Escape.
    await page.keyboard.press('Alt+Shift+C')
    await page.locator('#editor .cm-focused').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.closest("#editor")'), null)
    await page.locator('.tabs-bar [role=tab]').first().focus()
    await page.keyboard.press('ArrowRight')
    await page.locator('.tabs-bar [aria-selected=true]', { hasText: 'local_decoder.xml' }).waitFor()
    // The graph around the rule at the cursor.
    await page.keyboard.press('ArrowLeft')
    await page.locator('.tabs-bar [aria-selected=true]', { hasText: 'local_rules.xml' }).waitFor()
    await page.locator('.cm-line', { hasText: 'Backup of' }).click()
    // An open menu has the focus at once, so it is not taken later from where somebody goes with the next key.
    const focused = await page.evaluate<string[]>(`(async () => {
      const button = document.querySelector('[aria-label="Actions for this file"]')
      button.click()
      while (document.querySelector('[role=menuitem]') === null) await Promise.resolve()
      const seen = [document.activeElement.textContent]
      document.querySelectorAll('[role=menuitem]')[1].focus()
      await new Promise((resolve) => setTimeout(resolve, 200))
      seen.push(document.activeElement.textContent)
      button.click()
      return seen
    })()`)
    assert.deepEqual(focused, ['Go to a rule or decoder', 'Go to the definition'])
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Actions for this file' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Graph at the cursor' }).press('Enter')
    await page.getByRole('dialog', { name: 'Ruleset' }).locator('.rule-card').getByText('100110', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Alt+Shift+R')
    await page.getByRole('dialog', { name: 'Ruleset' }).waitFor()
    await context.close()
  })
})

describe('differences of what is edited', { skip: CHROMIUM_SKIP }, () => {
  let browser: PlaygroundBrowser
  before(async () => {
    browser = await PlaygroundBrowser.start()
  })
  after(() => browser?.close())

  const WORDS = {
    'en-US': {
      open: 'Ruleset',
      tab: 'Differences',
      nothing: 'Nothing is different.',
      lost: 'Alert lost',
      show: 'Show this event',
      before: 'Before: rule 100110, level 8. After: rule 100110, level 0.',
    },
    'pt-BR': { open: 'Ruleset', tab: 'Diferenças', nothing: 'Nada mudou.', lost: 'Alerta perdido', show: 'Mostrar este evento', before: '' },
  } as const
  for (const [window, locale, colorScheme] of [
    ['desktop', 'en-US', 'light'],
    ['phone', 'pt-BR', 'dark'],
  ] as const) {
    test(`are listed with an event that can be shown, in a window for a ${window}, in ${locale}`, async () => {
      const [width, height] = WINDOWS[window]
      const words = WORDS[locale]
      const { page, context, complaints } = await browser.open({ viewport: { width, height }, locale, colorScheme })
      await page.locator('.outcome .rule-id', { hasText: /^5710$/ }).waitFor({ state: window === 'phone' ? 'attached' : 'visible' })
      if (window === 'phone') await page.locator('.switch button').first().click()
      const open = async () => {
        await page.locator('.views-button').click()
        await page.getByRole('dialog', { name: words.open }).getByRole('tab', { name: words.tab }).click()
      }
      await open()
      const dialog = page.getByRole('dialog', { name: words.open })
      await dialog.getByText(words.nothing).waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      // Its alert is lost.
      await writeInEditor(page, '<group name="own,">\n  <rule id="100110" level="0">\n    <if_sid>5710</if_sid>\n    <description>Silent</description>\n  </rule>\n</group>\n')
      await open()
      const lost = dialog.locator('.difference.is-lost').first()
      await lost.getByText(words.lost).waitFor()
      await noSeriousViolation(page, `differences ${window}`)
      assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= width)
      if (SCREENSHOTS !== null) {
        mkdirSync(SCREENSHOTS, { recursive: true })
        await page.screenshot({ path: join(SCREENSHOTS, `differences-${window}-${locale}.png`) })
      }
      const event = (await lost.locator('.difference-event').textContent()) ?? ''
      await lost.getByRole('button', { name: words.show }).click()
      await dialog.waitFor({ state: 'detached' })
      if (window === 'phone') await page.locator('.switch button').nth(1).click()
      await page.locator('.event[aria-selected=true] .cell-event', { hasText: event.slice(0, 60) }).waitFor()
      assert.deepEqual(
        complaints.filter((text) => !text.startsWith('Applying inline style')),
        [],
      )
      await context.close()
    })
  }
})

describe('the audit as a map', { skip: CHROMIUM_SKIP }, () => {
  let browser: PlaygroundBrowser
  before(async () => {
    browser = await PlaygroundBrowser.start()
  })
  after(() => browser?.close())

  /** 100110 fires, 100111 is taken by it, 100112 contradicts itself, 100113 counts, 100114 has no parent. */
  const RULES = `<group name="own,">
  <rule id="100110" level="8">
    <if_sid>5710</if_sid>
    <description>First</description>
  </rule>
  <rule id="100111" level="7">
    <if_sid>5710</if_sid>
    <description>Second</description>
  </rule>
  <rule id="100112" level="9">
    <if_sid>5715</if_sid>
    <match>^zzz</match>
    <description>Never</description>
  </rule>
  <rule id="100113" level="10" frequency="4" timeframe="60">
    <if_matched_sid>100110</if_matched_sid>
    <description>Often</description>
  </rule>
  <rule id="100114" level="5">
    <if_sid>999999</if_sid>
    <description>Lost</description>
  </rule>
</group>
`
  const WORDS = {
    'en-US': {
      open: 'Ruleset',
      tab: 'Audit',
      fires: 'Rule 100110: fires',
      dropped: 'Rule 100114: dropped',
      shadowed: /shadowed: 1/,
      done: 'Your rules: 5.',
      show: 'Show this event',
    },
    'pt-BR': {
      open: 'Ruleset',
      tab: 'Auditoria',
      fires: 'Regra 100110: dispara',
      dropped: 'Regra 100114: descartada',
      shadowed: /encoberta: 1/,
      done: 'Suas regras: 5.',
      show: 'Mostrar este evento',
    },
  } as const
  for (const [window, locale, colorScheme] of [
    ['desktop', 'en-US', 'light'],
    ['phone', 'pt-BR', 'dark'],
    ['phone', 'en-US', 'light'],
    ['desktop', 'pt-BR', 'dark'],
  ] as const) {
    test(`has each own rule with its verdict, and the event behind it, in a window for a ${window}, in ${locale}`, async () => {
      const [width, height] = WINDOWS[window]
      const words = WORDS[locale]
      const { page, context, complaints } = await browser.open({ viewport: { width, height }, locale, colorScheme })
      await page.locator('.outcome .rule-id', { hasText: /^5710$/ }).waitFor({ state: window === 'phone' ? 'attached' : 'visible' })
      if (window === 'phone') await page.locator('.switch button').first().click()
      await writeInEditor(page, RULES)
      await page.locator('.views-button').click()
      const dialog = page.getByRole('dialog', { name: words.open })
      await dialog.getByRole('tab', { name: words.tab }).click()
      await dialog.getByText(words.done).waitFor()
      await dialog.locator('.audit-legend').getByText(words.shadowed).waitFor()
      await dialog.getByRole('button', { name: words.dropped }).waitFor()
      // One stop of the Tab key; the arrow keys move on.
      assert.equal(await dialog.locator('.audit-cell[tabindex="0"]').count(), 1)
      await dialog.locator('.audit-cell[tabindex="0"]').focus()
      await page.keyboard.press('End')
      assert.equal(await page.evaluate<string>('document.activeElement.textContent.trim().slice(-6)'), '100113')
      const cell = dialog.getByRole('button', { name: words.fires })
      await cell.click()
      assert.equal(await cell.getAttribute('aria-pressed'), 'true')
      const verdict = dialog.locator('.audit-verdict')
      await verdict.locator('.difference-event').waitFor()
      await noSeriousViolation(page, `audit ${window} ${colorScheme}`)
      assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= width)
      if (SCREENSHOTS !== null) {
        mkdirSync(SCREENSHOTS, { recursive: true })
        await page.screenshot({ path: join(SCREENSHOTS, `audit-${window}-${locale}.png`) })
      }
      const event = (await verdict.locator('.difference-event').textContent()) ?? ''
      await verdict.getByRole('button', { name: words.show }).click()
      await dialog.waitFor({ state: 'detached' })
      if (window === 'phone') await page.locator('.switch button').nth(1).click()
      await page.locator('.event[aria-selected=true] .cell-event', { hasText: event.slice(0, 60) }).waitFor()
      assert.deepEqual(
        complaints.filter((text) => !text.startsWith('Applying inline style')),
        [],
      )
      await context.close()
    })
  }

  test('can be stopped, goes on where it was, and begins anew with other content', async () => {
    const { page, context } = await browser.open({ locale: 'en-US' })
    await page.locator('.outcome .rule-id', { hasText: /^5710$/ }).waitFor()
    const many = Array.from(
      { length: 300 },
      (_, index) => `  <rule id="${110_000 + index}" level="5"><if_sid>5710</if_sid><match>word${index}</match><description>d</description></rule>`,
    )
    await writeInEditor(page, `<group name="own,">\n${many.join('\n')}\n</group>\n`)
    await page.locator('.views-button').click()
    const dialog = page.getByRole('dialog', { name: 'Ruleset' })
    await dialog.getByRole('tab', { name: 'Audit' }).click()
    await dialog.locator('.audit-cell').first().waitFor()
    await dialog.getByRole('button', { name: 'Stop' }).click()
    await dialog.getByText(/^Judged: \d+ of 300\.$/).waitFor()
    const judged = await dialog.locator('.audit-cell').count()
    assert.ok(judged < 300)
    await dialog.getByRole('button', { name: 'Go on' }).click()
    await dialog.getByText('Your rules: 300.').waitFor()
    assert.equal(await dialog.locator('.audit-cell').count(), 300)
    await page.keyboard.press('Escape')
    await writeInEditor(page, '<group name="own,">\n  <rule id="100110" level="1"><if_sid>5710</if_sid><description>d</description></rule>\n</group>\n')
    await page.locator('.views-button').click()
    await dialog.getByRole('tab', { name: 'Audit' }).click()
    await dialog.getByText('Your rules: 1.').waitFor()
    await context.close()
  })
})

describe('what the cases are worth', { skip: CHROMIUM_SKIP }, () => {
  test('is graded with changes that no case notices, and a case that would is added', async () => {
    const browser = await PlaygroundBrowser.start()
    const [width, height] = WINDOWS.phone
    const { page, context, complaints } = await browser.open({ viewport: { width, height }, locale: 'pt-BR', colorScheme: 'dark' })
    await page.locator('.outcome .rule-id', { hasText: /^5710$/ }).waitFor()
    await page.locator('.switch button').first().click()
    await writeInEditor(
      page,
      '<group name="own,">\n  <rule id="100110" level="8">\n    <if_sid>5710</if_sid>\n    <match>admin</match>\n    <description>Admin</description>\n  </rule>\n</group>\n',
    )
    const dialog = page.getByRole('dialog', { name: 'Ruleset' })
    const grade = async (button: string): Promise<number> => {
      await page.locator('.views-button').click()
      await dialog.getByRole('tab', { name: 'Nota dos casos' }).click()
      await dialog.getByRole('button', { name: button }).click()
      await dialog.getByRole('button', { name: 'Avaliar de novo' }).waitFor()
      return Number(/Nota: (\d+)%/.exec((await dialog.locator('.audit-head').textContent()) ?? '')?.[1])
    }
    assert.equal(await grade('Avaliar os casos'), 0)
    const survivors = await dialog.locator('.difference').count()
    assert.ok(survivors > 1)
    await noSeriousViolation(page, 'case score')
    assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= width)
    if (SCREENSHOTS !== null) await page.screenshot({ path: join(SCREENSHOTS, 'case-score.png') })
    await dialog.getByRole('button', { name: 'Adicionar este caso' }).first().click()
    await dialog.getByText('Os casos mudaram desde então.').waitFor()
    await dialog.getByRole('button', { name: 'Adicionado' }).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.locator('.switch button').nth(1).click()
    await page.getByRole('tab', { name: /^Casos/ }).click()
    await page.getByText('1 de 1 passa').waitFor()
    await page.locator('.switch button').first().click()
    assert.ok((await grade('Avaliar de novo')) > 0)
    assert.ok((await dialog.locator('.difference').count()) < survivors)
    assert.deepEqual(
      complaints.filter((text) => !text.startsWith('Applying inline style')),
      [],
    )
    await context.close()
    await browser.close()
  })
})

/** Bytes of gzip. */
const FIRST_ANSWER_LIMIT = 700 * 1000
const ALL_LIMIT = 1500 * 1000

describe('the files of the page', () => {
  test('are as few bytes as was promised', (context) => {
    const assets = readAssets()
    const sizeOf = (name: string): number => gzipSync(assets.get(name) as string, { level: 9 }).length
    const sum = (names: Iterable<string>): number => [...new Set(names)].reduce((bytes, name) => bytes + sizeOf(name), 0)
    const page = (['boot', 'main', 'styles', 'icon'] as const).flatMap((name) => [MANIFEST[name].file, ...MANIFEST[name].imports])
    const worker = (['worker', 'start', 'reference', 'texts/pt-BR'] as const).flatMap((name) => [MANIFEST[name].file, ...MANIFEST[name].imports])
    const first = sum(['index.html', ...page, ...worker])
    const all = sum(assets.keys())
    context.diagnostic(`gzip: page ${sum(page)}, before the first answer ${first}, all files ${all}`)
    assert.ok(first <= FIRST_ANSWER_LIMIT, String(first))
    assert.ok(all <= ALL_LIMIT, String(all))
  })

  test('have relative addresses, a hash in each name, and no script or style inside', () => {
    const assets = readAssets()
    const page = assets.get('index.html') as string
    assert.ok(!/<style|style=|<script(?![^>]*src=)|\son\w+=/.test(page))
    const addresses = [...page.matchAll(/(?:href|src|data-worker)="([^"]+)"/g)].map(([, address]) => address)
    assert.ok(addresses.length >= 5)
    for (const address of addresses) assert.ok(/^\.\/[\w-]+-[A-Z0-9]{8}\.(?:js|css|svg)$/.test(address) && assets.has(address.slice(2)), address)
    // The engine is the worker's alone.
    assert.deepEqual(
      MANIFEST.main.imports.filter((name) => MANIFEST.start.imports.includes(name)),
      [],
    )
  })
})

/** The files of an archive of the page: each header has the sizes. */
function unzip(archive: Buffer): [string, string][] {
  const files: [string, string][] = []
  for (let at = 0; archive.readUInt32LE(at) === 0x04034b50; ) {
    const packed = archive.readUInt32LE(at + 18)
    const name = archive.readUInt16LE(at + 26)
    const start = at + 30 + name
    files.push([archive.toString('utf8', at + 30, start), inflateRawSync(archive.subarray(start, start + packed)).toString()])
    at = start + packed
  }
  return files
}

/** An archive with one file, with what a reader needs. */
function zipOf(path: string, content: Buffer): Buffer {
  const name = Buffer.from(path)
  const data = deflateRawSync(content)
  const local = Buffer.alloc(30)
  local.writeUInt32LE(0x04034b50)
  local.writeUInt16LE(name.length, 26)
  const central = Buffer.alloc(46)
  central.writeUInt32LE(0x02014b50)
  central.writeUInt16LE(8, 10)
  central.writeUInt32LE(data.length, 20)
  // It lies about the size.
  central.writeUInt32LE(10, 24)
  central.writeUInt16LE(name.length, 28)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(local.length + name.length + data.length, 16)
  return Buffer.concat([local, name, data, central, name, end])
}
