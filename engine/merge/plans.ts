/** The plans of all files of one kind, by path. */
import { fromByteString } from '../source/byte-string.js'
import type { Family, MemberChange } from './families.js'
import { FilePlan } from './file-plan.js'
import type { KindMerge } from './kind-merge.js'
import type { MergeChange } from './merge-request.js'
import type { Item, SplitText, TextKind } from './split-text.js'

export class Plans {
  readonly #plans = new Map<string, FilePlan>()
  readonly #kind: TextKind
  readonly #target: string
  /** Plans by the items of ours that they add. */
  readonly #new = new Map<Item, FilePlan>()

  /**
   * @param unsplit paths of files without items, which cannot be edited
   * @param target path of the file for new items
   */
  constructor(splits: readonly SplitText[], unsplit: ReadonlySet<string>, kind: TextKind, target: string) {
    for (const split of splits) this.#plans.set(split.path ?? '', new FilePlan(split))
    this.#kind = kind
    this.#target = freePath(target, unsplit)
  }

  /** The plans of the files of theirs, and of the file for new items if it was asked for. */
  [Symbol.iterator](): IterableIterator<FilePlan> {
    return this.#plans.values()
  }

  /** The file for new items, which is created if it does not exist. */
  get target(): FilePlan {
    const known = this.#plans.get(this.#target)
    if (known !== undefined) return known
    const created = new FilePlan({ path: this.#target, kind: this.#kind, bytes: '', items: [], roots: [] })
    this.#plans.set(this.#target, created)
    return created
  }

  /** Returns the plan of a file of theirs. */
  at({ path }: SplitText): FilePlan | undefined {
    return this.#plans.get(path ?? '')
  }

  /** Returns the plan that adds an item of ours. */
  ofNew(item: Item): FilePlan | undefined {
    return this.#new.get(item)
  }

  /** Plans the changes of a family, and returns what they are. */
  apply({ base, ours, theirs }: Family, changes: readonly MemberChange[]): Pick<MergeChange, 'change' | 'path'> {
    const paths: string[] = []
    for (const one of changes) {
      const plan = one.change === 'added' ? ((base[0] && this.at(base[0].source)) ?? this.target) : (this.at(one.at.source) ?? this.target)
      paths.push(plan.path)
      if (one.change === 'replaced') plan.replace(one.at, one.text, one.group)
      else if (one.change === 'removed') plan.remove(one.at)
      else {
        this.#new.set(one.item, plan)
        if (one.change === 'inserted') plan.insert(one.at, one.isAfter, one.item)
        else plan.append(one.item)
      }
    }
    return { change: theirs.length === 0 ? 'added' : ours.length === 0 ? 'removed' : 'changed', path: paths[0] }
  }

  render(): KindMerge['contents'] {
    return new Map([...this.#plans].flatMap(([path, plan]) => (plan.isChanged ? [[path, plan.isEmptied ? null : fromByteString(plan.render())]] : [])))
  }
}

/** Returns a path that cannot be one of these: `a.xml`, else `a-2.xml`, and so on. */
function freePath(path: string, taken: ReadonlySet<string>): string {
  const dot = path.lastIndexOf('.')
  const end = dot > path.lastIndexOf('/') + 1 ? dot : path.length
  let free = path
  for (let number = 2; taken.has(free); number++) free = `${path.slice(0, end)}-${number}${path.slice(end)}`
  return free
}
