/** The reference page of the running service: complete, without dead links, and, in a browser, without errors and without requests to other hosts. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { Browser, CHROMIUM_SKIP, type Tab } from '../support/chromium.js'

describe('the reference page', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ env: { NATIVE_SERVICE_DOCS_EXPOSURE: 'public' } })
  })
  after(() => app?.close())

  test('has every operation, event and schema of the document, and no dead link', async () => {
    interface Document {
      readonly components: { readonly schemas: Readonly<Record<string, object>> }
      readonly webhooks: Readonly<Record<string, { readonly post: { readonly operationId: string } }>>
    }
    const { body: document } = await app.client.get<Document>('/openapi.json')
    const wanted = [
      ...app.service.routes.map(({ id }) => id.replaceAll('.', '_')),
      ...Object.values(document.webhooks).map(({ post }) => post.operationId),
      ...Object.keys(document.components.schemas).map((name) => `schema-${name}`),
    ]
    for (const root of ['/docs', '/redoc']) {
      const anchors = new Map<string, readonly string[]>()
      const links: string[] = []
      const remaining = [root]
      for (let path = remaining.pop(); path !== undefined; path = remaining.pop()) {
        const { status, text } = await app.client.get(path)
        assert.equal(status, 200, path)
        const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
        assert.equal(new Set(ids).size, ids.length)
        anchors.set(path, ids)
        const here = new URL(path, 'http://service')
        for (const [, link] of text.matchAll(/<a href="([^"]+)"/g)) {
          const { pathname, hash, host } = new URL(link, here)
          if (host !== 'service' || !(pathname === root || pathname.startsWith(`${root}/`))) continue
          links.push(`${pathname}${hash}`)
          if (!anchors.has(pathname) && !remaining.includes(pathname)) remaining.push(pathname)
        }
        // It can be read early on a slow connection.
        if (path === root) assert.ok(text.length < 400 * 1024, `${text.length} characters`)
        // Values of the document are escaped on the page.
        assert.doesNotMatch(text, /<rule|<group|undefined|\[object/)
      }
      const all = [...anchors.values()].flat()
      assert.deepEqual(
        wanted.filter((id) => !all.includes(id)),
        [],
      )
      const dead = links.filter((link) => link.includes('#') && anchors.get(link.slice(0, link.indexOf('#')))?.includes(link.slice(link.indexOf('#') + 1)) !== true)
      assert.deepEqual([...new Set(dead)], [])
      assert.ok((await app.client.get(root)).text.includes('&lt;rule id='))
    }
  })

  describe('in a browser', { skip: CHROMIUM_SKIP }, () => {
    let browser: Browser
    before(async () => {
      browser = await Browser.start()
    })
    after(() => browser?.close())
    const fromHere = ({ requests }: Tab): boolean => requests.every(({ url }) => url.startsWith(`${app.client.origin}/`) || url.startsWith('blob:'))

    test('is readable without a script', async () => {
      const page = await browser.open({ hasScripts: true })
      await page.goto(`${app.client.origin}/api/v1/redoc`)
      assert.ok((await page.evaluate<number>('document.querySelectorAll("article").length')) > 5)
      assert.equal(await page.evaluate('getComputedStyle(document.querySelector("nav")).position'), 'fixed')
      assert.equal(await page.evaluate('document.scripts.length'), 0)
      // The first call calls this service.
      assert.match(await page.evaluate<string>('document.querySelector("#first-call").textContent'), new RegExp(`API=${app.client.origin}/api/v1\n`))
      await page.resize(390, 844)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
      assert.deepEqual([page.complaints, fromHere(page)], [[], true])
    })

    test('finds operations, and calls them with the entered credential', async () => {
      const page = await browser.open({ hasScripts: true })
      await page.goto(`${app.client.origin}/api/v1/docs`)
      const shown = await page.evaluate<string[]>(`(() => {
        const search = document.querySelector('nav input[type=search]')
        search.value = 'logtest batch'
        search.dispatchEvent(new Event('input'))
        return [...document.querySelectorAll('nav ul ul li')].filter((entry) => !entry.hidden && !entry.parentElement.closest('li').hidden).map((entry) => entry.textContent.trim())
      })()`)
      assert.deepEqual(shown, ['POST Run a batch of events'])
      // An anchor of the page that had everything.
      await page.goto(`${app.client.origin}/api/v1/docs/account#projects_create`)
      while (!(await page.evaluate<boolean>(`location.pathname.endsWith('/docs/projects') && document.readyState === 'complete'`))) await sleep(20)

      const { client } = await bootstrap(app.client)
      const call = (operation: string, before = ''): Promise<string> =>
        page.evaluate<string>(`(async () => {
          const details = document.querySelector('details[data-operation="${operation}"]')
          const until = async (find) => { while (!find()) await new Promise((resolve) => setTimeout(resolve, 20)); return find() }
          details.open = true
          const send = await until(() => details.querySelector('button.send'))
          ${before}
          details.querySelector('.answer').replaceChildren()
          send.click()
          await until(() => !send.disabled && details.querySelector('.answer .status'))
          return details.querySelector('.answer').textContent
        })()`)
      assert.match(await call('projects_list'), /^401 .*"code": "unauthorized"/s)
      await page.evaluate(`void (document.querySelector('#credentials input').value = ${JSON.stringify(client.standing.token)})`)
      // The body is the example, a session's token is a bearer token, and a path gets its parameter.
      assert.match(await call('projects_create'), /^200 .*"slug": "vpn-gateways"/s)
      assert.match(await call('projects_list', `details.querySelector('.inputs input').value = '1'`), /^200 .*X-Total-Count: 1.*"name": "VPN gateways"/s)
      const { body } = await client.get<readonly { readonly id: string }[]>('/platform/projects')
      assert.match(await call('projects_get', `details.querySelector('.inputs input').value = '${body[0].id}'`), /^200 .*ETag: /s)
      // Rules are written without the escapes of JSON.
      await page.goto(`${app.client.origin}/api/v1/docs`)
      await page.evaluate(`void (document.querySelector('#credentials input').value = ${JSON.stringify(client.standing.token)})`)
      const rules = '<group name="local,">\\n<rule id="100200" level="20"><if_sid>5710</if_sid><description>"a"</description></rule></group>'
      assert.match(await call('analysis_validate', `details.querySelector('textarea').value = '${rules}'`), /^200 .*rule_level_invalid.*"line": 2/s)
      // Line breaks are kept.
      assert.match(await call('analysis_run-logtest-batch'), /"done":true,"total":1,/)
      const refused = page.complaints.filter((complaint) => !complaint.includes('status of 401'))
      assert.deepEqual([refused, fromHere(page)], [[], true])
      assert.ok(page.requests.length > 8)
    })
  })
})
