/** Messages to chats: texts of all events in both languages, links, and names that try to be markup. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { toUSVString } from 'node:util'
import { EVENTS } from '../../../../../../server/core/events/catalogue.js'
import { composeEvent, composeTest, MESSAGE_EVENTS } from '../../../../../../server/features/connections/gateways/messaging/compose.js'
import type { ChatMessage } from '../../../../../../server/features/connections/gateways/messaging/gateway.js'
import { MESSAGING } from '../../../../../../server/features/connections/gateways/messaging/index.js'
import { exampleOfSchema } from '../../../../../../server/docs/example.js'

const LOCALES = ['en-US', 'pt-BR'] as const
const CONTEXT = { locale: 'en-US', organizationId: 'org', baseUrl: 'https://content.example.test' } as const
const REVIEW = { project_id: 'p', project_name: 'Perimeter', review_id: 'r', title: 'Brute force', status: 'open', workspace_id: 'w', actor_id: null, reviewer_ids: [] }

/** Names that are markup, a mention or a link in one of the chats. */
const HOSTILE = [
  '<!here>',
  '<@U123>',
  '<https://evil.example|click>',
  '@channel',
  '@all',
  '*bold*',
  '[click](https://evil.example)',
  'https://evil.example',
  '~town-square',
  ':tada:',
  '<at>all</at>',
  '&lt;!here&gt;',
  '`code`',
  '# head',
  '![x](y)',
  '<script>',
  '\\',
  '|',
]

const messageOf = (title: string): ChatMessage => ({ title, text: title, link: { label: 'Open', url: 'https://content.example.test/a?b=(c)|d' } })

describe('messages', () => {
  test('every event has a text in both languages, without a gap', () => {
    for (const name of MESSAGE_EVENTS)
      for (const locale of LOCALES) {
        const payload = exampleOfSchema(EVENTS[name] as unknown as Record<string, unknown>) as Record<string, unknown>
        const { title, text, link } = composeEvent(name, payload, { ...CONTEXT, locale })
        assert.ok(title.length > 0 && !/[{}]|undefined|object Object/.test(title + text), `${name}: ${title} ${text}`)
        if (link !== null) assert.match(link.url, /^https:\/\/content\.example\.test\/platform\/[\w/.%-]+$/)
      }
    assert.notEqual(composeEvent('review.created', REVIEW, CONTEXT).title, composeEvent('review.created', REVIEW, { ...CONTEXT, locale: 'pt-BR' }).title)
  })

  test('a message names its object and links to its page', () => {
    assert.deepEqual(composeEvent('review.created', REVIEW, CONTEXT), {
      title: 'Review requested: Brute force',
      text: 'Project: Perimeter.',
      link: { label: 'Open', url: 'https://content.example.test/platform/projects/p/reviews/r' },
    })
    const failed = {
      project_id: 'p',
      project_name: 'Perimeter',
      version_id: 'v',
      name: '1.0',
      quality_score: 61,
      failed_rules: [{ rule: 'min_quality_score', expected: 70, actual: 61 }],
    }
    assert.match(composeEvent('publish.failed', failed, CONTEXT).text, /Quality score: 61\. .*: min_quality_score\.$/)
    assert.equal(composeEvent('logtest.completed', { ok: true, matched_rule_id: null, matched_rules: [] }, CONTEXT).text, 'Final rule: –.')
    assert.equal(composeTest('Channel', 'i', CONTEXT).link?.url, 'https://content.example.test/platform/organizations/org/integrations/i')
  })

  test('an event of a newer version is shown by its name', () => {
    assert.deepEqual(composeEvent('planet.discovered', { secret: 'x' }, CONTEXT), { title: 'planet.discovered', text: '', link: null })
    assert.equal(composeEvent('constructor', {}, CONTEXT).title, 'constructor')
  })

  test('ids can not leave their part of the path', () => {
    assert.equal(composeEvent('regression.failed', { project_id: '../../x?y' }, CONTEXT).link?.url, 'https://content.example.test/platform/projects/..%2F..%2Fx%3Fy')
  })

  test('Slack gets blocks, whose names are plain text without control sequences', () => {
    const body = JSON.parse(MESSAGING.slack.render(messageOf('Version & more')))
    assert.deepEqual(body, {
      text: 'Version &amp; more',
      mrkdwn: false,
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'Version &amp; more', emoji: false } },
        { type: 'section', text: { type: 'plain_text', text: 'Version &amp; more', emoji: false } },
        { type: 'section', text: { type: 'mrkdwn', text: '<https://content.example.test/a?b=(c)%7Cd|Open>', verbatim: true } },
      ],
    })
    for (const name of HOSTILE) {
      const { text, blocks } = JSON.parse(MESSAGING.slack.render(messageOf(name))) as { text: string; blocks: { text: { type: string; text: string } }[] }
      for (const shown of [text, blocks[0].text.text, blocks[1].text.text]) assert.ok(!/[<>]|&(?!amp;|lt;|gt;)/.test(shown), shown)
      assert.deepEqual(
        blocks.map((block) => block.text.type),
        ['plain_text', 'plain_text', 'mrkdwn'],
      )
    }
    const long = JSON.parse(MESSAGING.slack.render({ title: '🚀'.repeat(400), text: '', link: null })) as { blocks: { text: { text: string } }[] }
    assert.ok(long.blocks[0].text.text.length <= 150 && toUSVString(long.blocks[0].text.text) === long.blocks[0].text.text, long.blocks[0].text.text)
    assert.equal(long.blocks.length, 1)
    const escaped = JSON.parse(MESSAGING.slack.render({ title: '&'.repeat(149), text: '<'.repeat(2_999), link: null })) as { blocks: { text: { text: string } }[] }
    assert.match(escaped.blocks[0].text.text, /^(&amp;){29}…$/)
    assert.match(escaped.blocks[1].text.text, /^(&lt;){749}…$/)
  })

  test('Mattermost gets Markdown, in which every punctuation of a name is escaped', () => {
    const { text } = JSON.parse(MESSAGING.mattermost.render(messageOf('a_b'))) as { text: string }
    assert.equal(text, '**a\\_b**\na\\_b\n[Open](https://content.example.test/a?b=%28c%29|d)')
    for (const name of HOSTILE) {
      const [title] = (JSON.parse(MESSAGING.mattermost.render(messageOf(name))) as { text: string }).text.split('\n')
      const shown = title.slice(2, -2)
      // Each punctuation has a backslash, and no @ is followed by a name.
      assert.ok(!/(^|[^\\])(\\\\)*[!-/:-@[-`{-~](?<!\\)/.test(shown), shown)
      assert.ok(!/@\w/.test(shown), shown)
      assert.equal(shown.replace(/\\([!-/:-@[-`{-~])/g, '$1').replaceAll('\u200b', ''), name)
    }
  })

  test('Teams gets an Adaptive Card, whose names are text runs', () => {
    const body = JSON.parse(MESSAGING.microsoft_teams.render(messageOf('<at>all</at>')))
    assert.deepEqual(body, {
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: '<at>all</at>', weight: 'Bolder', size: 'Medium' }] },
              { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: '<at>all</at>' }] },
            ],
            actions: [{ type: 'Action.OpenUrl', title: 'Open', url: 'https://content.example.test/a?b=(c)|d' }],
          },
        },
      ],
    })
    // A mention needs an entity of the card, which no message has.
    assert.ok(!('msteams' in body.attachments[0].content))
    assert.equal(MESSAGING.microsoft_teams.isPosted('1'), true)
    assert.equal(MESSAGING.microsoft_teams.isPosted('Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429'), false)
  })

  test('each chat says by 404 or 410 that a webhook is gone', () => {
    for (const { goneStatuses } of Object.values(MESSAGING)) assert.deepEqual([...goneStatuses], [404, 410])
  })
})
