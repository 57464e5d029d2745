import type { DiagnosticDeclaration } from '../entry.js'

/** Diagnostics about files as such: names, order, size. */
export const FILES_DIAGNOSTICS = {
  file_unreadable: {
    severity: 'warning',
    effect: 'ignore',
    engineNumbers: [1103],
    title: ['Unreadable file', 'Arquivo ilegível'],
    message: ['The file {file} cannot be read, so nothing of it is loaded.', 'O arquivo {file} não pode ser lido; nada do que ele contém é carregado.'],
    hint: ['Check that the file exists and that the service may read it.', 'Verifique se o arquivo existe e se o serviço tem permissão para lê-lo.'],
    doc: [
      'Wazuh only warns about a file it cannot open and loads the rest, so every rule or decoder in it is missing without further notice.',
      'O Wazuh apenas avisa quando não consegue abrir um arquivo e carrega o restante; todas as regras e decoders dele ficam de fora sem mais nenhum aviso.',
    ],
  },
  file_name_load_order: {
    severity: 'warning',
    example: {
      wrong: 'a_children.xml, b_parents.xml',
      right: '10-parents.xml, 20-children.xml',
    },
    title: ['File name in the wrong load order', 'Nome de arquivo fora da ordem de carga'],
    message: ['{file} loads before {other}, whose content it needs.', '{file} é carregado antes de {other}, de cujo conteúdo ele precisa.'],
    hint: [
      'Rename one of the files so that {other} sorts before {file}; only the file name counts, not the directory.',
      'Renomeie um dos arquivos para que {other} fique antes de {file}; só o nome do arquivo conta, não o diretório.',
    ],
    doc: [
      'Wazuh sorts the files of all directories by file name, byte by byte, and a rule or decoder can only refer to what is loaded before it. local_rules.xml sorts after the shipped files that begin with a digit, but before sysmon_rules.xml.',
      'O Wazuh ordena os arquivos de todos os diretórios pelo nome, byte a byte, e uma regra ou decoder só pode se referir ao que foi carregado antes. local_rules.xml vem depois dos arquivos padrão, que começam com dígito, mas antes de sysmon_rules.xml.',
    ],
  },
  file_duplicate_name: {
    severity: 'warning',
    title: ['File name used twice', 'Nome de arquivo repetido'],
    message: ['Two files are called {file}; which of them loads first is not defined.', 'Dois arquivos se chamam {file}; não há definição de qual deles é carregado primeiro.'],
    hint: ['Give one of the two files another name.', 'Dê outro nome a um dos dois arquivos.'],
    doc: [
      'Directories do not matter for the load order, so two files of one name have no defined order. A parent in one and its child in the other may load today and fail after a restart.',
      'O diretório não influi na ordem de carga; portanto dois arquivos de mesmo nome não têm ordem definida. Um pai em um deles e o filho no outro podem carregar hoje e falhar depois de reiniciar.',
    ],
  },
  file_too_large: {
    severity: 'warning',
    title: ['Very large file', 'Arquivo muito grande'],
    message: [
      'The file has {size} bytes, more than the {limit} that are sensible for one file.',
      'O arquivo tem {size} bytes, mais do que os {limit} razoáveis para um só arquivo.',
    ],
    hint: ['Split the file by subject; keep parents in the file that sorts first.', 'Divida o arquivo por assunto; mantenha os pais no arquivo que vem primeiro na ordem.'],
    doc: [
      'Large files load, but they are hard to review, and one mistake in them stops the whole ruleset. The largest shipped file has a few thousand lines.',
      'Arquivos grandes são carregados, mas são difíceis de revisar, e um único erro neles impede a carga de tudo. O maior arquivo padrão tem alguns milhares de linhas.',
    ],
  },
  file_kind_mismatch: {
    severity: 'warning',
    title: ['Content of another kind than stated', 'Conteúdo de tipo diferente do informado'],
    message: ['This file was given as {kind}, but its content looks like {found}.', 'Este arquivo foi informado como {kind}, mas o conteúdo parece ser {found}.'],
    hint: ['Move the content to a file of the kind {found}, or change the kind of this file.', 'Mova o conteúdo para um arquivo do tipo {found} ou altere o tipo deste arquivo.'],
    doc: [
      'Wazuh reads rules from the rule directories and decoders from the decoder directories. A <decoder> in a rules file, or a <group> in a decoders file, stops the whole ruleset.',
      'O Wazuh lê regras dos diretórios de regras e decoders dos diretórios de decoders. Um <decoder> em um arquivo de regras, ou um <group> em um arquivo de decoders, impede a carga de tudo.',
    ],
  },
  file_encoding: {
    severity: 'warning',
    example: {
      wrong: '<match>falha de autentica��o</match>',
      right: '<match>falha de autenticação</match>',
    },
    title: ['Text that was not UTF-8', 'Texto que não era UTF-8'],
    message: [
      'The text holds U+FFFD (�), which replaced bytes that were not UTF-8 when the text was read or saved.',
      'O texto contém U+FFFD (�), que substituiu bytes que não eram UTF-8 quando o texto foi lido ou salvo.',
    ],
    hint: [
      'Save the file as UTF-8; for events in another encoding, write their bytes in pcre2, such as \\xE9.',
      'Salve o arquivo como UTF-8; para eventos em outra codificação, escreva os bytes em pcre2, como \\xE9.',
    ],
    doc: [
      'Wazuh compares bytes in any encoding. This service reads texts as UTF-8 and replaces every other byte by U+FFFD. A pattern or list key with that character then differs from the bytes in the file.',
      'O Wazuh compara bytes em qualquer codificação. Este serviço lê textos como UTF-8 e substitui todo outro byte por U+FFFD. Um padrão ou uma chave de lista com esse caractere difere então dos bytes do arquivo.',
    ],
  },
  list_file_missing: {
    severity: 'warning',
    effect: 'ignore',
    engineNumbers: [1103],
    title: ['Missing list file', 'Arquivo de lista ausente'],
    message: ['The text file of the list {list} is missing, so the list is not registered.', 'Falta o arquivo de texto da lista {list}; por isso a lista não é registrada.'],
    hint: [
      'Create the text file of the list, or remove its <list> entry from ossec.conf. Rules that use the list are dropped until then.',
      'Crie o arquivo de texto da lista ou remova a entrada <list> do ossec.conf. Até lá, as regras que usam a lista são descartadas.',
    ],
    doc: [
      'Wazuh warns once about a registered list without text file and does not register it. Each rule that looks it up is then left out, see rule_list_not_loaded.',
      'O Wazuh avisa uma vez sobre uma lista registrada sem arquivo de texto e não a registra. Toda regra que consulta essa lista fica de fora; veja rule_list_not_loaded.',
    ],
  },
} as const satisfies Record<string, DiagnosticDeclaration>
