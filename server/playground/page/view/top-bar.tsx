/** The head of the page: what the content is compiled on, and what can be done with the whole. */
import { THEMES } from '../model/choices.js'
import { LOCALES, writeCount } from '../model/locales.js'
import { saveZip } from './save-zip.js'
import { TEXTS } from '../texts/index.js'
import { Icon, type IconName } from './icons.js'
import { Menu, type MenuItem } from './menu.js'
import type { Props } from './props.js'
import type { Theme } from '../model/state.js'

const THEME_ICONS: Readonly<Record<Theme, IconName>> = { auto: 'auto', light: 'sun', dark: 'moon' }

export function TopBar({ page, state, texts }: Props) {
  const { actions, base, privacy, theme } = texts
  const { opened, locale } = state
  const open = (dialog: typeof state.dialog): void => page.store.update({ dialog })
  const nameOfBase = state.base.kind === 'own' ? base.own(state.base.name) : base[state.base.kind]
  const languages = LOCALES.map((one): MenuItem => ({ label: TEXTS[one].language, isChosen: one === locale, act: () => page.setLocale(one) }))
  const themes = THEMES.map((one): MenuItem => ({ label: `${theme.label}: ${theme[one]}`, isChosen: one === state.theme, act: () => page.setTheme(one) }))
  const service: readonly MenuItem[] = page.service === null ? [] : [{ label: texts.service.open, act: () => open('service') }]
  const whole: readonly MenuItem[] = [
    { label: actions.import, act: () => open('import') },
    { label: actions.export, act: () => void saveZip(state) },
    // It would take the place of what is at home.
    ...(state.home === null ? [{ label: actions.startAnew, act: () => page.startAnew() }] : []),
    { label: actions.keys, act: () => open('keys') },
  ]
  return (
    <header class="top">
      <h1>
        <svg class="logo" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
          <path d="M12 2.5l8 3v6c0 5-3.4 8.6-8 10-4.6-1.4-8-5-8-10v-6z" />
          <path class="logo-mark" d="M7.5 12h2.4l1.6-3.6 2.2 6.4 1.3-2.8h2" />
        </svg>
        <span class="title-text">{texts.title}</span>
      </h1>
      <p class="tagline">{texts.tagline}</p>
      <Menu
        label={base.choose}
        isNamed
        class="button base"
        items={[
          ...(state.base.kind === 'own' ? [{ label: nameOfBase, isChosen: true, act: () => {} }] : []),
          { label: base.reference, isChosen: state.base.kind === 'reference', act: () => page.useShippedBase('reference') },
          { label: base.none, isChosen: state.base.kind === 'none', act: () => page.useShippedBase('none') },
          { label: base.drop, act: () => open('import') },
        ]}
      >
        <span class="hidden-text">{base.label}: </span>
        <span class="base-name">{nameOfBase}</span>
        {opened !== null && <span class="muted base-count">{base.rules(writeCount(opened.counts.rules, locale))}</span>}
        <Icon name="down" />
      </Menu>
      <div class="top-actions">
        <button type="button" class="button quiet privacy" onClick={() => open('about')}>
          <Icon name="lock" />
          <span>{state.home === null ? privacy.short : texts.home.privacy.short}</span>
        </button>
        <button type="button" class="button wide-only" onClick={() => open('import')}>
          <Icon name="import" />
          {actions.import}
        </button>
        <button type="button" class="button wide-only" onClick={() => void saveZip(state)}>
          <Icon name="export" />
          {actions.export}
        </button>
        <button type="button" class="button primary share" title={actions.share} onClick={() => open('share')}>
          <Icon name="share" />
          <span>{actions.share}</span>
        </button>
        <Menu label={`${locale.slice(0, 2).toUpperCase()}: ${TEXTS[locale].language}`} class="button quiet wide-only" items={languages}>
          <span class="language">{locale.slice(0, 2).toUpperCase()}</span>
        </Menu>
        <Menu label={theme.label} class="button quiet icon-only wide-only" items={themes}>
          <Icon name={THEME_ICONS[state.theme]} />
        </Menu>
        <Menu label={actions.more} class="button quiet icon-only wide-only" items={[...service, ...whole.slice(2)]}>
          <Icon name="dots" />
        </Menu>
        <Menu label={actions.more} class="button quiet icon-only narrow-only" items={[...service, ...whole, ...languages, ...themes]}>
          <Icon name="dots" />
        </Menu>
      </div>
    </header>
  )
}
