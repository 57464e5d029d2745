import { type Template, xml } from '../template.js'

const postgres = (statement: string): string => `2026-01-05 10:11:12.123 UTC [411] bob@clinic LOG:  statement: ${statement}`
const mysql = (statement: string): string => `MySQL log: 260105 10:11:12\t   12 Query\t${statement}`

export const patientDataExported: Template = {
  id: 'patient-data-exported',
  category: 'compliance',
  kind: 'rule',
  platform: ['linux'],
  attackIds: ['T1005', 'T1213'],
  tags: ['hipaa', 'lgpd', 'gdpr', 'database', 'exfiltration'],
  texts: {
    'en-US': {
      title: 'Table with personal data exported from a database',
      description: 'Finds statements that write a whole table with health or personal data into a file (HIPAA 164.312(b), GDPR art. 32): the usual first step of a leak.',
      tips: [
        'Put the names of your tables into both rules.',
        'PostgreSQL must log statements (log_statement = all, or pgaudit); MySQL the general query log.',
        'Dumps of the backup look the same: make the backup user an exception with a negated <user>.',
      ],
    },
    'pt-BR': {
      title: 'Tabela com dados pessoais exportada de um banco',
      description:
        'Encontra comandos que escrevem em arquivo uma tabela inteira com dados de saúde ou pessoais (HIPAA 164.312(b), LGPD art. 46): o primeiro passo comum de um vazamento.',
      tips: [
        'Coloque os nomes das suas tabelas nas duas regras.',
        'O PostgreSQL deve registrar comandos (log_statement = all, ou pgaudit); o MySQL, o general query log.',
        'Dumps do backup parecem iguais: faça do usuário de backup uma exceção com um <user> negado.',
      ],
    },
  },
  xml: xml`
    <group name="local,database,personal_data,">
      <rule id="106080" level="12">
        <if_sid>50500</if_sid>
        <regex type="pcre2">(?i)\bcopy\s+(?:\(select\b.*\bfrom\s+)?(?:public\.)?(?:patients|diagnoses|customers)\b.*\bto\b</regex>
        <description>PostgreSQL: personal data exported by $(dstuser) from $(database)</description>
        <mitre>
          <id>T1005</id>
          <id>T1213</id>
        </mitre>
        <group>postgresql_log,pci_dss_10.2.1,gdpr_IV_32.2,hipaa_164.312.b,nist_800_53_AU.14,</group>
      </rule>

      <rule id="106081" level="12">
        <if_sid>50107</if_sid>
        <regex type="pcre2">(?i)\bselect\b.*\bfrom\s+\S*(?:patients|diagnoses|customers)\b.*\binto\s+(?:out|dump)file\b|\binto\s+(?:out|dump)file\b.*\bfrom\s+\S*(?:patients|diagnoses|customers)\b</regex>
        <description>MySQL: personal data exported into a file</description>
        <mitre>
          <id>T1005</id>
          <id>T1213</id>
        </mitre>
        <group>mysql_log,pci_dss_10.2.1,gdpr_IV_32.2,hipaa_164.312.b,nist_800_53_AU.14,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'a whole table', events: postgres("COPY public.patients TO '/tmp/p.csv' CSV;"), gives: { rule: 106080, level: 12 } },
    { shows: 'a selection', events: postgres('COPY (SELECT name, born FROM patients) TO STDOUT;'), gives: { rule: 106080, level: 12 } },
    { shows: 'MySQL', events: mysql("SELECT * FROM clinic.patients INTO OUTFILE '/tmp/p.csv'"), gives: { rule: 106081, level: 12 } },
  ],
  lookalikes: [
    { shows: 'an import', events: postgres("COPY public.patients FROM '/tmp/p.csv' CSV;"), not: 106080 },
    { shows: 'another table', events: postgres("COPY public.rooms TO '/tmp/r.csv' CSV;"), not: 106080 },
    { shows: 'an ordinary query', events: mysql('SELECT name FROM clinic.patients WHERE id = 7'), not: 106081 },
  ],
}
