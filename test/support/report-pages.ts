/** What every report page is, wherever its texts come from. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import sax from 'sax'

/** A text that would be markup, and one that would end its element. */
export const HOSTILE = '"\'><script>alert(1)</script><img src=x onerror=alert(2)>&amp;</td></style></svg></title>'

/** A page runs nothing and loads nothing, its policy allows its own style alone, and every opened element is closed in order. */
export function assertReportPage(text: string): void {
  const styles = [...text.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, style]) => style)
  assert.equal(styles.length, 1)
  assert.match(styles[0], /@media print/)
  const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(text)?.[1] ?? ''
  assert.equal(policy, `default-src 'none'; style-src 'sha256-${createHash('sha256').update(styles[0]).digest('base64')}'; base-uri 'none'; form-action 'none'`)
  // A pattern of the page itself is no resource.
  assert.doesNotMatch(styles[0].replaceAll('url(#', ''), /url\(|@import/i)
  const open: string[] = []
  const reader = sax.parser(true)
  reader.onopentag = ({ name, attributes }) => {
    open.push(name)
    assert.doesNotMatch(name, /^(?:script|img|image|link|iframe|object|embed|base|form|use|a)$/i)
    for (const attribute of Object.keys(attributes)) assert.doesNotMatch(attribute, /^(?:on.*|style|src|href|xlink:href|action)$/i)
  }
  reader.onclosetag = (name) => assert.equal(open.pop(), name)
  reader.onerror = (error) => assert.fail(error)
  reader.write(text.replace('<!doctype html>', '').replace(/<(meta|br)([^>]*)>/g, '<$1$2/>')).close()
  assert.deepEqual(open, [])
  assert.doesNotMatch(text.replace(/<style>[\s\S]*<\/style>/, ''), /\{\w+\}|undefined|NaN|\[object /, 'a placeholder was left')
}
