/** The content: its files as tabs, the editor, and what is wrong. */
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { FileKind } from '#engine'
import { ContentEditor } from '../editor/content-editor.js'
import { cursorOf } from '../editor/cursor.js'
import { type Problem, problemsOf } from '../editor/diagnostics.js'
import type { EditedFile } from '../model/state.js'
import { Icon } from './icons.js'
import { Menu } from './menu.js'
import { Problems } from './problems.js'
import type { Props } from './props.js'

const KINDS: readonly FileKind[] = ['rules', 'decoders', 'lists']

export function ContentPane(props: Props) {
  const { page, state, texts } = props
  const { diagnosis, diagnosed, stock } = state
  const problems = useMemo(() => problemsOf({ diagnosis, diagnosed }), [diagnosis, diagnosed])
  const active = state.files.find(({ id }) => id === state.activeFile) ?? null
  return (
    <>
      {stock === null ? <FileTabs {...props} problems={problems} active={active} /> : <StockBar {...props} />}
      <EditorArea {...props} problems={problems} active={active} />
      {active === null && stock === null && <p class="empty">{texts.files.empty}</p>}
      <Problems page={page} state={state} texts={texts} problems={problems} />
    </>
  )
}

interface FilesProps extends Props {
  readonly problems: readonly Problem[]
  readonly active: EditedFile | null
}

function FileTabs({ page, state, texts, problems, active }: FilesProps) {
  const { files } = texts
  const faulty = new Set(problems.filter(({ record }) => record.severity === 'error').map(({ file }) => file?.id))
  const rename = (file: EditedFile): void => {
    const name = prompt(files.newName, file.filename)
    if (name !== null && !page.renameFile(file.id, name)) page.notify(files.nameTaken, null)
  }
  const move = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0 || active === null) return
    const next = state.files[(state.files.indexOf(active) + step + state.files.length) % state.files.length]
    page.selectFile(next.id)
    document.getElementById(`file-${next.id}`)?.focus()
  }
  return (
    <div class="bar tabs-bar">
      <div class="tabs" role="tablist" aria-label={files.label} onKeyDown={move}>
        {state.files.map((file) => (
          <button
            type="button"
            key={file.id}
            id={`file-${file.id}`}
            class={`tab kind-${file.kind}`}
            role="tab"
            aria-selected={file === active}
            aria-controls="editor"
            tabIndex={file === active ? 0 : -1}
            title={`${texts.kinds[file.kind]}: ${file.filename}`}
            onClick={() => page.selectFile(file.id)}
          >
            <span class="kind" aria-hidden="true" />
            {shortName(file)}
            {faulty.has(file.id) && <span class="tab-fault" title={texts.severities.error} />}
          </button>
        ))}
      </div>
      <Menu label={files.add} class="button quiet icon-only" items={KINDS.map((kind) => ({ label: texts.kinds[kind], act: () => page.addFile(kind) }))}>
        <Icon name="plus" />
      </Menu>
      <span class="space" />
      <button type="button" class="button quiet views-button" title={texts.views.open} onClick={() => page.openViews('map', null)}>
        <Icon name="graph" />
        <span>{texts.views.title}</span>
      </button>
      {active !== null && (
        <Menu
          label={files.actions}
          class="button quiet icon-only"
          items={[
            ...(active.kind === 'rules'
              ? [
                  { label: files.graphAtCursor, act: () => page.openGraphAt(active, cursorOf('editor')) },
                  { label: files.graph, act: () => page.openViews('graph', { kind: 'file', filename: active.filename }) },
                ]
              : []),
            { label: files.rename, act: () => rename(active) },
            { label: files.remove, act: () => page.deleteFile(active.id) },
          ]}
        >
          <Icon name="dots" />
        </Menu>
      )}
    </div>
  )
}

/** A list has a path, whose last part says which one it is. */
function shortName({ kind, filename }: EditedFile): string {
  return kind === 'lists' ? filename.replace(/^etc\//, '') : filename
}

function StockBar({ page, state, texts }: Props) {
  const { stock } = state
  if (stock === null) return null
  const rule = stock.kind === 'rules' ? ruleAt(stock.content, stock.line) : null
  return (
    <div class="bar stock-bar">
      <button type="button" class="button quiet" onClick={() => page.closeStock()}>
        <Icon name="close" />
        {texts.files.back}
      </button>
      <span class="stock-name">{stock.filename}</span>
      <span class="muted">{texts.files.readOnly}</span>
      <span class="space" />
      {stock.kind === 'rules' && (
        <button type="button" class="button quiet" onClick={() => page.openGraphAt(stock, cursorOf('editor'))}>
          <Icon name="graph" />
          {texts.views.graph}
        </button>
      )}
      {rule !== null && (
        <button type="button" class="button" onClick={() => page.overrideRule(rule)}>
          {texts.files.override(rule)}
        </button>
      )}
    </div>
  )
}

/** Id of the rule that begins in a line. */
function ruleAt(content: string, line: number): string | null {
  const text = content.split('\n', line).at(-1) ?? ''
  return /<rule\b[^>]*\bid\s*=\s*["'](\d+)["']/.exec(text)?.[1] ?? null
}

function EditorArea({ page, state, texts, problems, active }: FilesProps) {
  const { stock, target } = state
  const box = useRef<HTMLDivElement>(null)
  const editor = useRef<ContentEditor | null>(null)
  useEffect(() => {
    editor.current = new ContentEditor(box.current as HTMLDivElement, {
      onChange: (id, content) => page.editFile(id, content),
      onFix: (file, fix) => page.applyFix(file, fix),
    })
    return () => editor.current?.view.destroy()
  }, [])
  useEffect(() => {
    const { current } = editor
    if (current === null) return
    if (stock !== null) current.showStock(stock, texts)
    else if (active !== null) {
      current.show(active, texts)
      if (state.diagnosed.includes(active)) current.mark(problems, texts)
    }
    if (target === null || stock !== null || target.file !== active?.id) return
    current.goTo(target.from, target.to)
    page.store.update({ target: null })
  }, [active, stock, problems, target, texts])
  useEffect(() => {
    if (active !== null) editor.current?.setTexts(texts, texts.files.editor(active.filename))
  }, [texts])
  return <div id="editor" class="editor" ref={box} hidden={active === null && stock === null} />
}
