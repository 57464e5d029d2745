/** The place of a rule: leaves the views, and opens its file there. */
import type { Playground } from '../model/playground.js'
import { Icon } from './icons.js'

interface OpenRuleButtonProps {
  readonly page: Playground
  readonly filename: string
  readonly line: number
}

export function OpenRuleButton({ page, filename, line }: OpenRuleButtonProps) {
  return (
    <button
      type="button"
      class="button"
      onClick={() => {
        page.views.close()
        void page.files.openAt('rules', filename, line)
      }}
    >
      <Icon name="open" />
      {`${filename}:${line}`}
    </button>
  )
}
