import { series } from '../events.js'
import { type Template, xml } from '../template.js'

const line = (level: string, message: string, logger = 'com.example.shop.Payment'): string => `2026-01-05 10:11:12.123 ${level} [http-8080-3] ${logger} - ${message}`

export const javaApplicationErrors: Template = {
  id: 'java-application-errors',
  category: 'generic',
  kind: 'mixed',
  platform: ['application'],
  attackIds: ['T1190'],
  tags: ['java', 'log4j', 'logback', 'decoder', 'correlation', 'starter'],
  texts: {
    'en-US': {
      title: 'Java application: errors, bursts of errors, and exceptions of attacks',
      description:
        'Decodes the usual pattern of Logback and Log4j, reports errors and bursts of them, and knows exceptions that an attack leaves behind (deserialization, JNDI, SQL).',
      tips: [
        'The pattern is %d{yyyy-MM-dd HH:mm:ss.SSS} %level [%thread] %logger - %msg; adapt the prematch when yours differs.',
        'Replace com.example by the packages of your application.',
        'A stack trace is many lines: collect it with multi_line_regex of the agent, or only the first line is seen.',
      ],
    },
    'pt-BR': {
      title: 'Aplicação Java: erros, rajadas de erros e exceções de ataques',
      description: 'Decodifica o padrão usual de Logback e Log4j, aponta erros e rajadas deles, e conhece exceções que um ataque deixa (desserialização, JNDI, SQL).',
      tips: [
        'O padrão é %d{yyyy-MM-dd HH:mm:ss.SSS} %level [%thread] %logger - %msg; adapte o prematch se o seu for outro.',
        'Troque com.example pelos pacotes da sua aplicação.',
        'Um stack trace tem muitas linhas: colete-o com multi_line_regex do agente, ou só a primeira é vista.',
      ],
    },
  },
  xml: xml`
    <decoder name="java-example">
      <prematch type="pcre2">(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\s+\[[^\]]+\] com\.example\.\S+ - </prematch>
      <regex type="pcre2">(TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\s+\[([^\]]+)\] (com\.example\.\S+) - (.*)</regex>
      <order>java.level,java.thread,java.logger,java.message</order>
    </decoder>

    <group name="local,java,">
      <rule id="114000" level="0">
        <decoded_as>java-example</decoded_as>
        <description>Application: messages</description>
      </rule>

      <rule id="114001" level="4">
        <if_sid>114000</if_sid>
        <field name="java.level">^ERROR$|^FATAL$</field>
        <description>Application: $(java.level) of $(java.logger): $(java.message)</description>
        <group>application_error,</group>
      </rule>

      <rule id="114002" level="10">
        <if_sid>114001</if_sid>
        <field name="java.message" type="pcre2">InvalidClassException|StreamCorruptedException|javax\.naming\.|SQLSyntaxErrorException|OgnlException|SpelEvaluationException</field>
        <description>Application: exception as attacks leave it behind, of $(java.logger)</description>
        <mitre>
          <id>T1190</id>
        </mitre>
        <group>application_error,attack,</group>
      </rule>

      <rule id="114003" level="8" frequency="10" timeframe="60" ignore="300">
        <if_matched_sid>114001</if_matched_sid>
        <same_field>java.logger</same_field>
        <description>Application: many errors of $(java.logger)</description>
        <group>application_error,service_availability,</group>
      </rule>
    </group>
  `,
  samples: [
    {
      shows: 'an error',
      events: line('ERROR', 'card refused'),
      gives: { rule: 114001, level: 4, decoder: 'java-example', fields: { 'java.level': 'ERROR', 'java.logger': 'com.example.shop.Payment', 'java.message': 'card refused' } },
    },
    { shows: 'an exception of an attack', events: line('ERROR', 'java.io.InvalidClassException: filter status: REJECTED'), gives: { rule: 114002, level: 10 } },
    { shows: 'ten errors', events: series(10, 4, (index) => line('ERROR', `order ${index} failed`)), gives: { rule: 114003, level: 8 } },
  ],
  lookalikes: [
    { shows: 'a warning', events: line('WARN', 'card refused'), not: 114001, gives: { rule: 114000, level: 0 } },
    { shows: 'ten errors of ten loggers', events: series(10, 4, (index) => line('ERROR', 'failed', `com.example.shop.Part${index}`)), not: 114003, gives: { rule: 114001 } },
    { shows: 'a library', events: line('ERROR', 'card refused', 'org.hibernate.SQL'), not: 'java-example' },
  ],
}
