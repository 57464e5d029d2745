/** The link with the whole work, and what to consider before it is given away. */
import type { LogtestReport } from '#engine'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { findReplacements, replaceAll } from '../model/redact.js'
import { LINK_CHARACTERS, writeFragment } from '../model/share.js'
import { workOf } from '../model/state.js'
import { Dialog } from './dialog.js'
import { Icon } from './icons.js'
import type { Props } from './props.js'

/** The fields of an event, and the host of its header. */
function namesIn(report: LogtestReport | undefined): Readonly<Record<string, string>> {
  return report === undefined ? {} : { ...report.extracted_fields, hostname: report.predecoded.hostname ?? '' }
}

export function ShareDialog({ page, state, texts }: Props) {
  const { share: words, actions } = texts
  const [isReplaced, setReplaced] = useState(false)
  const [link, setLink] = useState('')
  const [isCopied, setCopied] = useState(false)
  const work = useMemo(() => workOf(state), [state.files, state.events, state.cases, state.session, state.now])
  const replacements = useMemo(() => findReplacements(work, ({ id }) => namesIn(state.answers.get(id)?.report)), [work])
  useEffect(() => {
    let isNewest = true
    setCopied(false)
    void writeFragment(isReplaced ? replaceAll(work, replacements) : work).then((fragment) => {
      if (isNewest) setLink(`${location.href.split('#')[0]}${fragment}`)
    })
    return () => {
      isNewest = false
    }
  }, [work, isReplaced])
  const events = work.events.length + work.cases.length
  const isTooLong = link.length > LINK_CHARACTERS
  const format = (count: number): string => count.toLocaleString(state.locale)
  return (
    <Dialog title={words.title} closeLabel={actions.close} onClose={() => page.store.update({ dialog: null })}>
      <p>{words.help}</p>
      {events > 0 && (
        <div class="warning-box">
          <p>
            <Icon name="warning" />
            {words.events(events)}
          </p>
          <label class="check">
            <input type="checkbox" checked={isReplaced} onChange={({ currentTarget: { checked } }) => setReplaced(checked)} />
            {words.replace}
          </label>
          {isReplaced && (
            <>
              <p class="hint">{replacements.length === 0 ? words.nothingFound : words.replaceHelp}</p>
              <ul class="replacements">
                {replacements.map(({ from, to }) => (
                  <li key={from}>
                    <code>{from}</code> → <code>{to}</code>
                  </li>
                ))}
              </ul>
            </>
          )}
        </div>
      )}
      {isTooLong ? (
        <p class="fault" role="alert">
          {words.tooLong(format(link.length), format(LINK_CHARACTERS))}
        </p>
      ) : (
        <>
          <div class="copy-row">
            <input type="text" id="share-link" readOnly value={link} aria-label={words.link} onFocus={({ currentTarget }) => currentTarget.select()} />
            <button
              type="button"
              class="button primary"
              disabled={link === ''}
              onClick={() =>
                void navigator.clipboard.writeText(link).then(
                  () => setCopied(true),
                  () => document.querySelector<HTMLInputElement>('#share-link')?.select(),
                )
              }
            >
              {isCopied ? actions.copied : actions.copy}
            </button>
          </div>
          <p class="hint">{words.length(format(link.length))}</p>
        </>
      )}
    </Dialog>
  )
}
