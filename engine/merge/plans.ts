/** The plans of all files of one kind, by path. */
import { fromByteString } from '../source/byte-string.js'
import { inFileOrder } from './compose.js'
import type { Family, MemberChange } from './families.js'
import { FilePlan } from './file-plan.js'
import type { KindMerge } from './kind-merge.js'
import type { MergeChange } from './merge-request.js'
import type { PlacedItem } from './place-items.js'
import type { Item, SplitText, TextKind } from './split-text.js'

export class Plans {
  readonly #plans = new Map<string, FilePlan>()
  readonly #splits: readonly SplitText[]
  readonly #kind: TextKind
  readonly #target: string
  /** Plans by the items of ours that they add. */
  readonly #new = new Map<Item, FilePlan>()
  /** Places of the files in the load order, by path. */
  #order: ReadonlyMap<string, number> | null = null

  /**
   * @param taken paths of files that cannot be edited: of other kinds, or without items
   * @param target path of the file for new items
   */
  constructor(splits: readonly SplitText[], taken: ReadonlySet<string>, kind: TextKind, target: string) {
    for (const split of splits) this.#plans.set(split.path ?? '', new FilePlan(split))
    this.#splits = splits
    this.#kind = kind
    this.#target = freePath(target, taken)
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

  /** Returns where the end of the usual file of a new item is in the load order: an index of a file of theirs, or 0.5 below that of the next. */
  endOf(family: Family): number {
    const { path } = this.#fileOf(family) ?? { path: this.#target }
    this.#order ??= this.#fileOrder()
    return this.#order.get(path) ?? 0
  }

  #fileOrder(): Map<string, number> {
    const order = new Map(this.#splits.map((split, index) => [split.path ?? '', index]))
    if (order.has(this.#target)) return order
    const files = [...order.keys(), this.#target].map((path) => ({ path, kind: this.#kind }))
    return order.set(this.#target, inFileOrder(files).findIndex(({ path }) => path === this.#target) - 0.5)
  }

  /** Returns the file that had the family, and that theirs still has. */
  #fileOf({ base }: Family): FilePlan | undefined {
    return base.length === 0 ? undefined : this.at(base[0].source)
  }

  /** Plans changes of members that theirs has. */
  apply(changes: readonly MemberChange[]): void {
    for (const one of changes) {
      if (one.change === 'added') continue
      const plan = this.at(one.at.source)
      if (one.change === 'replaced') plan?.replace(one.at, one.text, one.group)
      else if (one.change === 'removed') plan?.remove(one.at)
      else if (plan !== undefined) {
        this.#new.set(one.item, plan)
        plan.insert(one.at, one.isAfter, one.item)
      }
    }
  }

  /** Places a new item, or one that moves. */
  place({ item, group, from, place }: PlacedItem): void {
    const plan = (place.beside === null ? this.#fileOf(place.family) : this.at(place.beside.source)) ?? this.target
    if (from !== null) this.at(from.source)?.remove(from)
    this.#new.set(item, plan)
    if (place.beside === null) plan.append({ item, group })
    else plan.place(place.beside, place.isAfter, { item, group })
  }

  /** Returns what the planned changes of a family are, with the file of the first. */
  describe({ ours, theirs }: Family, [first]: readonly MemberChange[]): Pick<MergeChange, 'change' | 'path'> {
    const text = first.change === 'replaced' ? first.text : first.change === 'added' ? first.item : null
    const path = (text && this.#new.get(text)?.path) ?? (first.change === 'added' ? null : first.at.source.path)
    return { change: theirs.length === 0 ? 'added' : ours.length === 0 ? 'removed' : 'changed', path: path ?? this.#target }
  }

  render(): KindMerge['contents'] {
    return new Map([...this.#plans].flatMap(([path, plan]) => (plan.isChanged ? [[path, plan.isEmptied ? null : fromByteString(plan.render())]] : [])))
  }
}

/** Returns a path that cannot be one of these: `a.xml`, else `a-2.xml`, and so on. */
export function freePath(path: string, taken: ReadonlySet<string>): string {
  const dot = path.lastIndexOf('.')
  const end = dot > path.lastIndexOf('/') + 1 ? dot : path.length
  let free = path
  for (let number = 2; taken.has(free); number++) free = `${path.slice(0, end)}-${number}${path.slice(end)}`
  return free
}
