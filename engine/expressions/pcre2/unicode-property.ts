/**
 * `\p{..}`: the characters with a Unicode property.
 *
 * PCRE2 accepts properties in byte mode too, and then treats a byte as the code point of the same number. JavaScript has the same
 * Unicode data; this file only maps PCRE2's loosely written names to it.
 */
import type { CodeRange } from './ast.js'

const GENERAL_CATEGORIES = 'C Cc Cf Cn Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs'.split(' ')

/** Properties with names specific to PCRE2; `null`: a Unicode property that JavaScript does not support. */
const SPECIAL: ReadonlyMap<string, string | null> = new Map([
  ['any', '[^]'],
  ['l&', '[\\p{Lu}\\p{Ll}\\p{Lt}]'],
  ['lc', '[\\p{Lu}\\p{Ll}\\p{Lt}]'],
  ['xan', '[\\p{L}\\p{N}]'],
  ['xsp', '[\\p{Z}\\t\\n\\v\\f\\r\\x85\\u180e]'],
  ['xps', '[\\p{Z}\\t\\n\\v\\f\\r\\x85\\u180e]'],
  ['xwd', '[\\p{L}\\p{N}_]'],
  ['xuc', '[$@`\\xa0-\\ud7ff\\u{e000}-\\u{10ffff}]'],
  ['graphemelink', null],
  ['grlink', null],
  ['prependedconcatenationmark', '[\\u0600-\\u0605\\u06DD\\u070F\\u0890\\u0891\\u08E2\\u{110BD}\\u{110CD}]'],
  ['pcm', '[\\u0600-\\u0605\\u06DD\\u070F\\u0890\\u0891\\u08E2\\u{110BD}\\u{110CD}]'],
])

const BINARY =
  'ASCII ASCII_Hex_Digit AHex Alphabetic Alpha Bidi_Control Bidi_C Bidi_Mirrored Bidi_M Case_Ignorable CI Cased Changes_When_Casefolded CWCF Changes_When_Casemapped CWCM Changes_When_Lowercased CWL Changes_When_Titlecased CWT Changes_When_Uppercased CWU Dash Default_Ignorable_Code_Point DI Deprecated Dep Diacritic Dia Emoji Emoji_Component EComp Emoji_Modifier EMod Emoji_Modifier_Base EBase Emoji_Presentation EPres Extended_Pictographic ExtPict Extender Ext Grapheme_Base Gr_Base Grapheme_Extend Gr_Ext Hex_Digit Hex IDS_Binary_Operator IDSB IDS_Trinary_Operator IDST ID_Continue IDC ID_Start IDS Ideographic Ideo Join_Control Join_C Logical_Order_Exception LOE Lowercase Lower Math Noncharacter_Code_Point NChar Pattern_Syntax Pat_Syn Pattern_White_Space Pat_WS Quotation_Mark QMark Radical Regional_Indicator RI Sentence_Terminal STerm Soft_Dotted SD Terminal_Punctuation Term Unified_Ideograph UIdeo Uppercase Upper Variation_Selector VS White_Space Space XID_Continue XIDC XID_Start XIDS'.split(
    ' ',
  )

const SCRIPTS =
  'Adlam Adlm Ahom Anatolian_Hieroglyphs Hluw Arabic Arab Armenian Armn Avestan Avst Balinese Bali Bamum Bamu Bassa_Vah Bass Batak Batk Bengali Beng Bhaiksuki Bhks Bopomofo Bopo Brahmi Brah Braille Brai Buginese Bugi Buhid Buhd Canadian_Aboriginal Cans Carian Cari Caucasian_Albanian Aghb Chakma Cakm Cham Cherokee Cher Chorasmian Chrs Common Zyyy Coptic Copt Qaac Cuneiform Xsux Cypriot Cprt Cypro_Minoan Cpmn Cyrillic Cyrl Deseret Dsrt Devanagari Deva Dives_Akuru Diak Dogra Dogr Duployan Dupl Egyptian_Hieroglyphs Egyp Elbasan Elba Elymaic Elym Ethiopic Ethi Georgian Geor Glagolitic Glag Gothic Goth Grantha Gran Greek Grek Gujarati Gujr Gunjala_Gondi Gong Gurmukhi Guru Han Hani Hangul Hang Hanifi_Rohingya Rohg Hanunoo Hano Hatran Hatr Hebrew Hebr Hiragana Hira Imperial_Aramaic Armi Inherited Zinh Qaai Inscriptional_Pahlavi Phli Inscriptional_Parthian Prti Javanese Java Kaithi Kthi Kannada Knda Katakana Kana Kayah_Li Kali Kharoshthi Khar Khitan_Small_Script Kits Khmer Khmr Khojki Khoj Khudawadi Sind Lao Laoo Latin Latn Lepcha Lepc Limbu Limb Linear_A Lina Linear_B Linb Lisu Lycian Lyci Lydian Lydi Mahajani Mahj Makasar Maka Malayalam Mlym Mandaic Mand Manichaean Mani Marchen Marc Masaram_Gondi Gonm Medefaidrin Medf Meetei_Mayek Mtei Mende_Kikakui Mend Meroitic_Cursive Merc Meroitic_Hieroglyphs Mero Miao Plrd Modi Mongolian Mong Mro Mroo Multani Mult Myanmar Mymr Nabataean Nbat Nandinagari Nand New_Tai_Lue Talu Newa Nko Nkoo Nushu Nshu Nyiakeng_Puachue_Hmong Hmnp Ogham Ogam Ol_Chiki Olck Old_Hungarian Hung Old_Italic Ital Old_North_Arabian Narb Old_Permic Perm Old_Persian Xpeo Old_Sogdian Sogo Old_South_Arabian Sarb Old_Turkic Orkh Old_Uyghur Ougr Oriya Orya Osage Osge Osmanya Osma Pahawh_Hmong Hmng Palmyrene Palm Pau_Cin_Hau Pauc Phags_Pa Phag Phoenician Phnx Psalter_Pahlavi Phlp Rejang Rjng Runic Runr Samaritan Samr Saurashtra Saur Sharada Shrd Shavian Shaw Siddham Sidd SignWriting Sgnw Sinhala Sinh Sogdian Sogd Sora_Sompeng Sora Soyombo Soyo Sundanese Sund Syloti_Nagri Sylo Syriac Syrc Tagalog Tglg Tagbanwa Tagb Tai_Le Tale Tai_Tham Lana Tai_Viet Tavt Takri Takr Tamil Taml Tangsa Tnsa Tangut Tang Telugu Telu Thaana Thaa Thai Tibetan Tibt Tifinagh Tfng Tirhuta Tirh Toto Ugaritic Ugar Unknown Zzzz Vai Vaii Vithkuqi Vith Wancho Wcho Warang_Citi Wara Yezidi Yezi Yi Yiii Zanabazar_Square Zanb'.split(
    ' ',
  )

/** Names of bidirectional classes; JavaScript has no data for them. */
const BIDI_CLASSES = 'AL AN B BN CS EN ES ET FSI L LRE LRI LRO NSM ON PDF PDI R RLE RLI RLO S WS'.split(' ')

const loose = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '')
const table = (names: readonly string[], source: (name: string) => string): ReadonlyMap<string, string> => new Map(names.map((name) => [loose(name), source(name)]))

const CATEGORY_SOURCES = table(GENERAL_CATEGORIES, (name) => `\\p{${name}}`)
const BINARY_SOURCES = table(BINARY, (name) => `\\p{${name}}`)
const SCRIPT_SOURCES = table(SCRIPTS, (name) => (/^(Unknown|Zzzz)$/.test(name) ? '[\\p{Cn}\\p{Co}\\p{Cs}]' : `\\p{sc=${name}}`))
const SCRIPT_EXTENSION_SOURCES = table(SCRIPTS, (name) => (/^(Unknown|Zzzz)$/.test(name) ? '[\\p{Cn}\\p{Co}\\p{Cs}]' : `\\p{scx=${name}}`))
const BIDI_NAMES: ReadonlySet<string> = new Set(BIDI_CLASSES.map(loose))

/** Resolves a name: the source of a JavaScript class, 'unknown', or 'unsupported' (PCRE2 has it, JavaScript does not). */
export function propertySource(written: string): string {
  const [, key, value] = /^([^:=]*)[:=]([\s\S]*)$/.exec(written) ?? [null, null, written]
  const name = loose(value)
  if (key !== null) {
    const kind = loose(key)
    if (kind === 'sc' || kind === 'script') return SCRIPT_SOURCES.get(name) ?? 'unknown'
    if (kind === 'scx' || kind === 'scriptextensions') return SCRIPT_EXTENSION_SOURCES.get(name) ?? 'unknown'
    if (kind === 'bc' || kind === 'bidiclass') return BIDI_NAMES.has(name) ? 'unsupported' : 'unknown'
    return 'unknown'
  }
  const special = SPECIAL.get(name)
  if (special !== undefined) return special ?? 'unsupported'
  const found = CATEGORY_SOURCES.get(name) ?? SCRIPT_EXTENSION_SOURCES.get(name) ?? BINARY_SOURCES.get(name)
  if (found !== undefined) return found
  return name.startsWith('bidi') && BIDI_NAMES.has(name.slice(4)) ? 'unsupported' : 'unknown'
}

/** UTF patterns with properties are rare, and computing one over 1.1 million code points takes 20 ms: cache a few. */
const MAX_CACHED_PROPERTIES = 32
const cache = new Map<string, readonly CodeRange[]>()

/** The characters from 0 to `max` that `source`, a JavaScript class, accepts. */
export function propertyRanges(source: string, max: number): readonly CodeRange[] {
  const key = `${max} ${source}`
  const known = cache.get(key)
  if (known !== undefined) return known
  const expression = new RegExp(`^${source}$`, 'u')
  const ranges: [number, number][] = []
  for (let char = 0; char <= max; char++) {
    if (!expression.test(String.fromCodePoint(char))) continue
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === char - 1) last[1] = char
    else ranges.push([char, char])
  }
  if (cache.size >= MAX_CACHED_PROPERTIES) cache.clear()
  cache.set(key, ranges)
  return ranges
}
