/** What was changed here and at home: what only one side changed is merged by itself, and somebody decides about the rest. Loaded late. */
import type { MergeAnswer, MergeConflict } from '#engine'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { showCompared } from '../editor/compared-text.js'
import { type Choice, conflictOf, type FileConflict, isEditable, keyOf, mergedText, mergeRequestOf } from '../model/file-merge.js'
import type { Home } from '../model/home.js'
import { Dialog } from './dialog.js'
import type { Props } from './props.js'

/** Names of merged items that are listed; more are counted. */
const LISTED = 12

export function MergeDialog(props: Props & { readonly home: Home; readonly onClose: () => void }) {
  const { state, texts, home, onClose } = props
  // As it was when the dialog was opened: it must not change under somebody who decides. What is saved is checked again anyway.
  const [[id, theirs] = []] = home.conflicts
  const file = useMemo(() => (id === undefined ? null : conflictOf(state, home, id)), [id, theirs])
  if (file === null) return null
  return (
    <Dialog title={texts.merge.title(file.name)} class="dialog is-wide" closeLabel={texts.actions.close} onClose={onClose}>
      {file.theirs === null ? <GoneChoice {...props} file={file} /> : <FileChoices key={file.id} {...props} file={file} />}
    </Dialog>
  )
}

interface FileProps extends Props {
  readonly home: Home
  readonly file: FileConflict
  readonly onClose: () => void
}

function GoneChoice({ page, texts, file }: FileProps) {
  const { merge: words } = texts
  return (
    <>
      <p>{words.gone}</p>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={() => page.home.settle(file.id, null)}>
          {words.removeHere}
        </button>
        <button type="button" class="button primary" onClick={() => page.home.settle(file.id, file.mine)}>
          {words.keepMine}
        </button>
      </div>
    </>
  )
}

const NO_CHOICES: ReadonlyMap<string, Choice> = new Map()

function FileChoices({ page, texts, home, file, onClose }: FileProps & { readonly state: Props['state'] }) {
  const { merge: words, actions } = texts
  const [answer, setAnswer] = useState<MergeAnswer | null>(null)
  const [choices, setChoices] = useState(NO_CHOICES)
  useEffect(() => {
    let isNewest = true
    setChoices(NO_CHOICES)
    const request = mergeRequestOf(file, NO_CHOICES, [])
    if (request !== null)
      void page.home.merge(request).then((merged) => {
        if (isNewest) setAnswer(merged)
      })
    return () => {
      isNewest = false
    }
  }, [file])
  const isWhole = file.kind === 'cases'
  const conflicts = isWhole ? [wholeFile(file)] : (answer?.conflicts ?? null)
  const accept = async (): Promise<void> => {
    const request = mergeRequestOf(file, choices, conflicts ?? [])
    if (request === null) return page.home.settle(file.id, choices.get(keyOf(wholeFile(file)))?.take === 'theirs' ? file.theirs : file.mine)
    const merged = await page.home.merge(request)
    if (merged !== null) page.home.settle(file.id, mergedText(file, merged))
  }
  if (conflicts === null) return <p class="muted">{words.merging}</p>
  const isDecided = conflicts.every((one) => choices.has(keyOf(one)))
  return (
    <>
      <p>{conflicts.length === 0 ? words.nothingToDecide : words.help(conflicts.length)}</p>
      {!isWhole && answer !== null && answer.changes.length > 0 && <Merged texts={texts} changes={answer.changes} />}
      {conflicts.map((one) => (
        <ConflictChoice
          key={keyOf(one)}
          texts={texts}
          conflict={one}
          isXml={file.kind === 'rules' || file.kind === 'decoders'}
          isEditable={!isWhole && isEditable(file, one)}
          theirsLabel={home.kind === 'folder' ? words.onDisk : words.inService}
          choice={choices.get(keyOf(one)) ?? null}
          onChoose={(choice) => setChoices((before) => new Map(before).set(keyOf(one), choice))}
        />
      ))}
      <div class="dialog-actions merge-actions">
        <button type="button" class="button" onClick={onClose}>
          {actions.cancel}
        </button>
        <button type="button" class="button primary" disabled={!isDecided} onClick={() => void accept()}>
          {words.use}
        </button>
      </div>
    </>
  )
}

function wholeFile({ name, base, mine, theirs }: FileConflict): MergeConflict {
  return { kind: 'file', name, path: name, base, ours: mine, theirs }
}

function Merged({ texts, changes }: Pick<Props, 'texts'> & { readonly changes: MergeAnswer['changes'] }) {
  const { merge: words } = texts
  const names = changes.slice(0, LISTED).map((one) => words.item(one.kind, one.name))
  return <p class="hint">{words.kept(names.join(', '), changes.length - names.length)}</p>
}

interface ConflictProps extends Pick<Props, 'texts'> {
  readonly conflict: MergeConflict
  readonly isXml: boolean
  readonly isEditable: boolean
  readonly theirsLabel: string
  readonly choice: Choice | null
  readonly onChoose: (choice: Choice) => void
}

function ConflictChoice({ texts, conflict, isXml, isEditable, theirsLabel, choice, onChoose }: ConflictProps) {
  const { merge: words } = texts
  const { base, ours, theirs } = conflict
  const title = words.item(conflict.kind, conflict.name)
  const [edited, setEdited] = useState(ours)
  const takeMine = (text: string | null): void => onChoose(text === ours || text === null ? { take: 'ours' } : { take: 'edited', text })
  const sides = [
    { take: 'theirs', label: theirsLabel, text: theirs, onChange: null },
    {
      take: 'ours',
      label: words.mine,
      text: ours,
      onChange: isEditable
        ? (text: string): void => {
            setEdited(text)
            takeMine(text)
          }
        : null,
    },
  ] as const
  const taken = choice === null ? null : choice.take === 'theirs' ? 'theirs' : 'ours'
  return (
    <fieldset class="merge-item">
      <legend>{title}</legend>
      <div class="merge-sides">
        {sides.map(({ take, label, text, onChange }) => (
          <div key={take} class={`merge-side ${taken === take ? 'is-taken' : ''}`}>
            <label class="merge-take">
              <input type="radio" name={`take-${keyOf(conflict)}`} checked={taken === take} onChange={() => (take === 'theirs' ? onChoose({ take }) : takeMine(edited))} />
              <span>{label}</span>
              {onChange !== null && <span class="muted">{words.editable}</span>}
            </label>
            {text === null ? (
              <p class="empty">{words.removed}</p>
            ) : (
              <Compared text={text} before={base} label={`${label}: ${title}`} isXml={isXml} onChange={onChange} texts={texts} />
            )}
          </div>
        ))}
      </div>
      <details class="merge-before">
        <summary>{words.before}</summary>
        <pre>{base ?? words.absent}</pre>
      </details>
    </fieldset>
  )
}

function Compared({ texts, ...shown }: Parameters<typeof showCompared>[1] & Pick<Props, 'texts'>) {
  const box = useRef<HTMLDivElement>(null)
  const change = useRef(shown.onChange)
  change.current = shown.onChange
  useEffect(() => {
    const view = showCompared(box.current as HTMLDivElement, { ...shown, onChange: shown.onChange === null ? null : (text) => change.current?.(text) }, texts)
    return () => view.destroy()
  }, [])
  return <div class="merge-text" ref={box} />
}
