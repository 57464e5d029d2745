/** The reference page of the running service: complete, without dead links, and, in a browser, without errors and without requests to other hosts. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
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
    for (const path of ['/docs', '/redoc']) {
      const { text } = await app.client.get(path)
      const anchors = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
      assert.equal(new Set(anchors).size, anchors.length)
      const wanted = [
        ...app.service.routes.map(({ id }) => id.replaceAll('.', '_')),
        ...Object.values(document.webhooks).map(({ post }) => post.operationId),
        ...Object.keys(document.components.schemas).map((name) => `schema-${name}`),
      ]
      assert.deepEqual(
        wanted.filter((id) => !anchors.includes(id)),
        [],
      )
      const dead = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id).filter((id) => !anchors.includes(id))
      assert.deepEqual(dead, [])
      // Values of the document are escaped on the page.
      assert.ok(text.includes('&lt;rule id='))
      assert.doesNotMatch(text, /<rule|<group|undefined|\[object/)
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
      assert.ok((await page.evaluate<number>('document.querySelectorAll("article").length')) > 100)
      assert.equal(await page.evaluate('getComputedStyle(document.querySelector("nav")).position'), 'fixed')
      assert.equal(await page.evaluate('document.scripts.length'), 0)
      assert.deepEqual([page.complaints, fromHere(page)], [[], true])
    })

    test('finds operations, and calls them with the entered credential', async () => {
      const page = await browser.open({ hasScripts: true })
      await page.goto(`${app.client.origin}/api/v1/docs`)
      const shown = await page.evaluate<string[]>(`(() => {
        const search = document.querySelector('nav input')
        search.value = 'logtest batch'
        search.dispatchEvent(new Event('input'))
        return [...document.querySelectorAll('nav ul ul li')].filter((entry) => !entry.hidden && !entry.parentElement.closest('li').hidden).map((entry) => entry.textContent.trim())
      })()`)
      assert.deepEqual(shown, ['POST Run a batch of events'])

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
      // Line breaks are kept.
      assert.match(await call('analysis_run-logtest-batch'), /"done":true,"total":1,/)
      const refused = page.complaints.filter((complaint) => !complaint.includes('status of 401'))
      assert.deepEqual([refused, fromHere(page)], [[], true])
      assert.ok(page.requests.length > 8)
    })
  })
})
