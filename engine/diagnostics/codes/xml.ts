import type { DiagnosticDeclaration } from '../entry.js'

/** What the reader of Wazuh's XML dialect finds, and variables (BEHAVIOUR.md#xml-dialect). */
export const XML_DIAGNOSTICS = {
  xml_unclosed_element: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [1226],
    example: {
      wrong: '<match>sshd</Match>',
      right: '<match>sshd</match>',
    },
    title: ['Element not closed', 'Elemento não fechado'],
    message: ['The element <{detail}> is not closed by a matching closing tag.', 'O elemento <{detail}> não é fechado por uma tag correspondente.'],
    hint: [
      'Write a closing tag that is exactly the opening name, letter for letter and without blanks, or correct the tag that closes something else.',
      'Escreva uma tag de fechamento idêntica ao nome de abertura, letra por letra e sem espaços, ou corrija a tag que fecha outra coisa.',
    ],
    doc: [
      'The reader compares the opening and the closing name byte for byte: </Rule> does not close <rule>, and </rule > is not a closing tag of it. A backslash directly before "<" escapes the tag and is another way to get here.',
      'O leitor compara os nomes de abertura e fechamento byte a byte: </Rule> não fecha <rule>, e </rule > também não. Uma barra invertida logo antes de "<" escapa a tag e é outra forma de chegar aqui.',
    ],
  },
  xml_unexpected_close: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [1226],
    title: ['Closing tag without element', 'Tag de fechamento sem elemento'],
    message: ['The closing tag </{detail}> closes nothing: no element is open here.', 'A tag de fechamento </{detail}> não fecha nada: nenhum elemento está aberto aqui.'],
    hint: ['Remove this closing tag, or add the opening tag that belongs to it.', 'Remova esta tag de fechamento ou adicione a tag de abertura correspondente.'],
    doc: [
      'A closing tag outside every element usually means that an element above was closed too early, or that an opening tag got lost while editing.',
      'Uma tag de fechamento fora de qualquer elemento costuma indicar que um elemento acima foi fechado cedo demais ou que uma tag de abertura se perdeu durante a edição.',
    ],
  },
  xml_attribute_syntax: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [1226],
    example: {
      wrong: '<rule id = "100001" level="5">',
      right: '<rule id="100001" level="5">',
    },
    title: ['Malformed attribute', 'Atributo malformado'],
    message: ['An attribute is written wrongly: {detail}.', 'Um atributo está escrito de forma incorreta: {detail}.'],
    hint: [
      'Write attributes as name="value": no blank before "=", the value in quotes, a blank between two attributes, and no ">" in a value.',
      'Escreva os atributos como nome="valor": sem espaço antes de "=", com o valor entre aspas, um espaço entre dois atributos e nenhum ">" dentro do valor.',
    ],
    doc: [
      'Wazuh\'s reader is stricter than XML here: blanks before the equals sign and ">" inside a value are errors, although XML allows both.',
      'O leitor do Wazuh é mais rígido que o XML neste ponto: espaço antes do sinal de igual e ">" dentro de um valor são erros, embora o XML permita ambos.',
    ],
  },
  xml_attribute_duplicate: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [1226],
    example: {
      wrong: '<rule id="100001" level="5" level="7">',
      right: '<rule id="100001" level="7">',
    },
    title: ['Attribute written twice', 'Atributo repetido'],
    message: ['The attribute "{detail}" appears twice in the same element.', 'O atributo "{detail}" aparece duas vezes no mesmo elemento.'],
    hint: ['Keep one of the two.', 'Mantenha apenas um dos dois.'],
    doc: [
      'An element may have each attribute only once. Names are compared with their case, so Name and name would both pass here.',
      'Um elemento só pode ter cada atributo uma vez. Os nomes são comparados com maiúsculas e minúsculas; Name e name passariam juntos aqui.',
    ],
  },
  xml_comment_unclosed: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [1226],
    example: {
      wrong: '<!-- old rules',
      right: '<!-- old rules -->',
    },
    title: ['Comment not closed', 'Comentário não fechado'],
    message: ['A comment that begins with "{detail}" is not closed before the end of the file.', 'Um comentário que começa com "{detail}" não é fechado até o fim do arquivo.'],
    hint: [
      'End the comment with -->. Check also for "<!" in a pattern: it always opens a comment.',
      'Termine o comentário com -->. Procure também por "<!" em um padrão: ele sempre abre um comentário.',
    ],
    doc: [
      'Every "<!" begins a comment, even in the middle of a text, and it ends at the first --> or !>. <![CDATA[ and <!DOCTYPE are read in the same way.',
      'Todo "<!" inicia um comentário, mesmo no meio de um texto, e ele termina no primeiro --> ou !>. <![CDATA[ e <!DOCTYPE são lidos da mesma forma.',
    ],
  },
  xml_limit_exceeded: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [1226],
    title: ['Limit of the reader exceeded', 'Limite do leitor excedido'],
    message: ['A limit of the XML reader is exceeded: {detail}.', 'Um limite do leitor de XML foi excedido: {detail}.'],
    hint: ['Shorten or split the element.', 'Encurte ou divida o elemento.'],
    doc: [
      'Names, texts and attribute values may have 20,479 bytes, an element 48 to 49 attributes, and elements may be nested 1,024 deep.',
      'Nomes, textos e valores de atributos podem ter 20.479 bytes; um elemento pode ter de 48 a 49 atributos; e os elementos podem ser aninhados até 1.024 níveis.',
    ],
  },
  // A warning where the engine takes it; found with severity error where it does not.
  xml_empty_file: {
    severity: 'warning',
    effect: 'refuse',
    engineNumbers: [1202, 1231],
    example: {
      wrong: '<!-- rules will follow -->',
      right: `<group name="local,">
|   <rule id="100001" level="3">…</rule>
| </group>`,
    },
    title: ['File without elements', 'Arquivo sem elementos'],
    message: ['The file has no element that Wazuh could load.', 'O arquivo não tem nenhum elemento que o Wazuh possa carregar.'],
    hint: ['Add at least one <group> with a rule, or one <decoder>; or delete the file.', 'Adicione ao menos um <group> com uma regra, ou um <decoder>; ou apague o arquivo.'],
    doc: [
      'A file that holds only comments, blanks or variables stops Wazuh, and so does a decoders file of zero bytes, unless it is local_decoder.xml. A rules file of zero bytes loads without complaint.',
      'Um arquivo que só tem comentários, espaços ou variáveis impede o Wazuh de iniciar, e o mesmo vale para um arquivo de decoders com zero bytes, exceto local_decoder.xml. Um arquivo de regras com zero bytes é carregado sem reclamação.',
    ],
  },
  xml_variable_undefined: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [1227],
    example: {
      wrong: '<match>$BAD_WORDS</match>',
      right: `<var name="BAD_WORDS">fail|denied</var>
| …
| <match>$BAD_WORDS</match>`,
    },
    title: ['Undefined variable', 'Variável não definida'],
    message: ['The variable "{detail}" has no <var> above this place in its file{elsewhere}.', 'A variável "{detail}" não tem <var> acima deste ponto no arquivo dela{elsewhere}.'],
    hint: [
      'Define it with <var name="…"> above this place in the same file, or correct the name.',
      'Defina-a com <var name="…"> acima deste ponto, no mesmo arquivo, ou corrija o nome.',
    ],
    doc: [
      'Variables are known only below their definition and only in their own file. Once a file defines one variable, every "$" in it may begin a reference that runs up to the next "$", ".", "|", "," or blank, so a pattern like (a|b$) fails as well.',
      'Variáveis só são conhecidas abaixo da sua definição e apenas no próprio arquivo. Assim que um arquivo define uma variável, todo "$" nele pode iniciar uma referência que vai até o próximo "$", ".", "|", "," ou espaço; por isso um padrão como (a|b$) também falha.',
    ],
  },
  xml_variable_not_replaced: {
    severity: 'warning',
    example: {
      wrong: '<match>$BAD_WORDS</match>',
      right: `<var name="BAD_WORDS">fail|denied</var>
| …
| <match>$BAD_WORDS</match>`,
    },
    title: ['Variable that is not replaced', 'Variável que não é substituída'],
    message: ['"{value}" stays as it is written, because {reason}.', '"{value}" fica como está escrito, porque {reason}.'],
    hint: ['Define the variable with <var name="…"> above this place in the same file.', 'Defina a variável com <var name="…"> acima deste ponto, no mesmo arquivo.'],
    doc: [
      'Variables are known only below their definition and only in their own file. In a file without variables "$NAME" is plain text, so a pattern searches for the dollar sign and the name, and nothing reports it.',
      'Variáveis só são conhecidas abaixo da sua definição e apenas no próprio arquivo. Em um arquivo sem variáveis, "$NOME" é texto comum; um padrão procura o cifrão e o nome, e nada avisa.',
    ],
  },
  xml_variable_invalid: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [1227],
    example: {
      wrong: '<var>fail|denied</var>',
      right: '<var name="BAD_WORDS">fail|denied</var>',
    },
    title: ['Invalid variable', 'Variável inválida'],
    message: ['This <var> or variable reference is not valid: {detail}.', 'Este <var> ou esta referência a variável não é válida: {detail}.'],
    hint: [
      'Write <var name="NAME">value</var> with a name of at most 255 bytes and no attribute before name.',
      'Escreva <var name="NOME">valor</var>, com um nome de até 255 bytes e sem outro atributo antes de name.',
    ],
    doc: [
      'Wazuh stops at a <var> without name. It may even take the attribute of the next element instead, which makes the mistake hard to find.',
      'O Wazuh para em um <var> sem name. Ele pode até usar o atributo do elemento seguinte no lugar, o que torna o erro difícil de achar.',
    ],
  },
  xml_variable_unused: {
    severity: 'info',
    title: ['Unused variable', 'Variável não usada'],
    message: ['The variable "{name}" is defined but never used.', 'A variável "{name}" é definida, mas nunca usada.'],
    hint: ['Remove the <var>, or use it.', 'Remova o <var> ou use-o.'],
    doc: [
      'An unused variable is often a typing error in a pattern. Its presence also changes how every "$" of the file is read.',
      'Uma variável não usada costuma ser um erro de digitação em um padrão. A presença dela também muda a leitura de todo "$" do arquivo.',
    ],
  },
  xml_variable_duplicate: {
    severity: 'warning',
    title: ['Variable defined twice', 'Variável definida duas vezes'],
    message: [
      'The variable "{name}" is already defined in this file; this second value is never used.',
      'A variável "{name}" já está definida neste arquivo; este segundo valor nunca é usado.',
    ],
    hint: [
      'Remove one definition, or rename it. Names are compared without case.',
      'Remova uma das definições ou renomeie-a. Os nomes são comparados sem distinguir maiúsculas de minúsculas.',
    ],
    doc: [
      'The first definition wins in the whole file; a later one with the same name is never used, not even below it.',
      'A primeira definição vale para o arquivo inteiro; uma segunda com o mesmo nome nunca é usada, nem mesmo abaixo dela.',
    ],
  },
  xml_variable_short_text: {
    severity: 'warning',
    example: {
      wrong: '<match>$V</match>',
      right: '<match>$WORDS</match>',
    },
    title: ['Text too short for a variable', 'Texto curto demais para uma variável'],
    message: [
      'The text "{value}" is too short to be searched for variables, so it stays as written.',
      'O texto "{value}" é curto demais para ter variáveis procuradas nele e fica como está.',
    ],
    hint: ['Give the variable a name of at least two letters.', 'Dê à variável um nome de pelo menos duas letras.'],
    doc: [
      'Wazuh does not look for variables in texts of one or two bytes, so a lone $V stays $V. Nothing reports it.',
      'O Wazuh não procura variáveis em textos de um ou dois bytes; um $V isolado continua $V. Nada avisa sobre isso.',
    ],
  },
  xml_variable_hazard: {
    severity: 'warning',
    title: ['Text that variables may damage', 'Texto que as variáveis podem estragar'],
    message: [
      'The text "{value}" contains a "$" that Wazuh may read as a variable, because this file defines variables.',
      'O texto "{value}" contém um "$" que o Wazuh pode ler como variável, porque este arquivo define variáveis.',
    ],
    hint: [
      'Move the variables, or this rule, to another file, or put a space, dot, comma or bar directly after the "$".',
      'Mova as variáveis, ou esta regra, para outro arquivo, ou deixe um espaço, ponto, vírgula ou barra logo após o "$".',
    ],
    doc: [
      'In a file with variables, "$" begins a reference up to the next "$", ".", "|", "," or blank. An unknown name stops the ruleset, and a $(field) before a real variable in the same text garbles the result.',
      'Em um arquivo com variáveis, "$" inicia uma referência até o próximo "$", ".", "|", "," ou espaço. Um nome desconhecido impede a carga, e um $(campo) antes de uma variável de verdade no mesmo texto embaralha o resultado.',
    ],
  },
  xml_bom: {
    severity: 'info',
    title: ['Byte order mark', 'Marca de ordem de bytes (BOM)'],
    message: ['The file begins with a byte order mark (BOM).', 'O arquivo começa com uma marca de ordem de bytes (BOM).'],
    hint: ['Save the file as UTF-8 without BOM.', 'Salve o arquivo como UTF-8 sem BOM.'],
    doc: [
      'Wazuh skips everything before the first element, so the mark does no harm there; other tools may show or reject it.',
      'O Wazuh ignora tudo antes do primeiro elemento, então a marca não atrapalha; outras ferramentas podem exibi-la ou rejeitá-la.',
    ],
  },
  xml_control_character: {
    severity: 'info',
    title: ['Control character', 'Caractere de controle'],
    message: ['The text contains the control character {value}.', 'O texto contém o caractere de controle {value}.'],
    hint: ['Remove it; it is invisible in most editors.', 'Remova-o; ele é invisível na maioria dos editores.'],
    doc: [
      'A control character in a pattern is compared like any other byte and keeps the pattern from matching, and XML tools reject the whole file.',
      'Um caractere de controle em um padrão é comparado como qualquer outro byte e impede que ele corresponda; além disso, ferramentas de XML rejeitam o arquivo inteiro.',
    ],
  },
  xml_non_portable: {
    severity: 'info',
    title: ['Not portable XML', 'XML não portável'],
    message: ['Wazuh reads this, but strict XML tools reject it: {detail}.', 'O Wazuh lê isto, mas ferramentas XML rígidas rejeitam: {detail}.'],
    hint: [
      'Nothing to do for Wazuh. For strict tools, write the text another way, for instance in pcre2 with \\x26 for an ampersand.',
      'Para o Wazuh, nada a fazer. Para ferramentas rígidas, escreva o texto de outra forma, por exemplo em pcre2 com \\x26 no lugar do "e" comercial.',
    ],
    doc: [
      'Wazuh\'s reader takes several roots, a bare "&" and "--" in comments. Formatters, editors and CI checks built on a real XML parser do not.',
      'O leitor do Wazuh aceita várias raízes, "&" solto e "--" em comentários. Formatadores, editores e verificações de CI baseados em um parser XML de verdade não aceitam.',
    ],
  },
  xml_prolog: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [1226],
    example: {
      wrong: `<?xml version="1.0"?>
| <group name="local,">`,
      right: '<group name="local,">',
    },
    title: ['XML declaration', 'Declaração XML'],
    message: ['The XML declaration <?xml …?> is not accepted by the Wazuh reader.', 'A declaração XML <?xml …?> não é aceita pelo leitor do Wazuh.'],
    hint: ['Delete the <?xml …?> line.', 'Apague a linha <?xml …?>.'],
    doc: [
      'Rules and decoder files are XML-like, not XML: the declaration that every XML file may begin with is a syntax error for Wazuh.',
      'Arquivos de regras e decoders se parecem com XML, mas não são: a declaração que pode abrir qualquer arquivo XML é um erro de sintaxe para o Wazuh.',
    ],
  },
  xml_cdata: {
    severity: 'warning',
    example: {
      wrong: '<match><![CDATA[<script>]]></match>',
      right: '<match>\\<script></match>',
    },
    title: ['CDATA section', 'Seção CDATA'],
    message: ['<![CDATA[ is read as the beginning of a comment: the text inside is lost.', '<![CDATA[ é lido como início de um comentário: o texto dentro dele se perde.'],
    hint: ['Write the text directly, with \\< for a literal "<".', 'Escreva o texto diretamente, usando \\< para um "<" literal.'],
    doc: [
      'There is no CDATA in Wazuh\'s dialect. "<!" opens a comment that ends at the first --> or !>, so the text and often much of the file after it disappears.',
      'Não existe CDATA no dialeto do Wazuh. "<!" abre um comentário que termina no primeiro --> ou !>; assim o texto, e muitas vezes boa parte do arquivo depois dele, desaparece.',
    ],
  },
  xml_entity_literal: {
    severity: 'warning',
    example: {
      wrong: '<regex>\\&lt;script</regex>',
      right: '<regex>\\<script</regex>',
    },
    title: ['Entity kept as text', 'Entidade mantida como texto'],
    message: ['The entity "{value}" is not decoded: Wazuh keeps it as these characters.', 'A entidade "{value}" não é decodificada: o Wazuh mantém exatamente esses caracteres.'],
    hint: ['Write the character itself: "&" and ">" as they are, "<" as \\<.', 'Escreva o próprio caractere: "&" e ">" como são, "<" como \\<.'],
    doc: [
      'Wazuh decodes no entities. &lt; in a pattern looks for these four characters in the log, and in a description it is shown like that in the alert.',
      'O Wazuh não decodifica entidades. &lt; em um padrão procura esses quatro caracteres no log e, em uma descrição, aparece assim no alerta.',
    ],
  },
  xml_mixed_content: {
    severity: 'warning',
    title: ['Text before a child element', 'Texto antes de um elemento filho'],
    message: [
      'The text before a child element of <{name}> is lost; Wazuh keeps only the text after the last child.',
      'O texto antes de um elemento filho de <{name}> se perde; o Wazuh mantém apenas o texto depois do último filho.',
    ],
    hint: ['Move the text behind the last child element, or remove the child.', 'Mova o texto para depois do último elemento filho ou remova o filho.'],
    doc: [
      'Each child element resets the text collected so far, so ab<x/>cd gives cd. Comments do not.',
      'Cada elemento filho zera o texto lido até então; ab<x/>cd resulta em cd. Comentários não fazem isso.',
    ],
  },
  xml_text_outside: {
    severity: 'info',
    title: ['Text outside every element', 'Texto fora de qualquer elemento'],
    message: ['The text "{value}" is outside every element and is ignored.', 'O texto "{value}" está fora de qualquer elemento e é ignorado.'],
    hint: ['Make it a comment, or remove it.', 'Transforme-o em comentário ou remova-o.'],
    doc: [
      'Wazuh skips text between top-level elements. It is often the rest of a comment or of an element that was closed too early.',
      'O Wazuh ignora texto entre os elementos de nível superior. Com frequência é o resto de um comentário ou de um elemento fechado cedo demais.',
    ],
  },
} as const satisfies Record<string, DiagnosticDeclaration>
