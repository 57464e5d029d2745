import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { describe, it } from 'node:test'
import { hasKeys, readTypedLines } from '../../../../server/cli/input/typed-lines.js'

describe('typed lines', () => {
  it('can be longer than a terminal passes on, edited, and called up again; Ctrl-D ends them', async () => {
    const modes: boolean[] = []
    const keys = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (raw: boolean) => modes.push(raw) })
    const echo = new PassThrough()
    let shown = ''
    echo.on('data', (part: Buffer) => {
      shown += part.toString()
    })
    keys.write(`${'x'.repeat(9000)}\rtwo\tx\x7fé\r\x1b[A\r\x04`)
    const batches = []
    for await (const batch of readTypedLines(keys, echo)) batches.push(batch)
    assert.deepEqual(
      batches.map(({ first, lines }) => [first, lines]),
      [
        [1, ['x'.repeat(9000)]],
        [2, ['two\té']],
        [3, ['two\té']],
      ],
    )
    assert.deepEqual(modes, [true, false])
    assert.ok(shown.includes('two'))
  })

  it('need a terminal whose keys can be read', () => {
    assert.deepEqual(
      [hasKeys(new PassThrough()), hasKeys(Object.assign(new PassThrough(), { isTTY: true })), hasKeys(Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} }))],
      [false, false, true],
    )
  })
})
