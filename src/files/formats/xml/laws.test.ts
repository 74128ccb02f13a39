import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseXml } from './xml.ts';

function textOf(xml: string): string {
  return parseXml(xml, []).text;
}

test('a law of Formex has its articles as headings, and numbers before their text', () => {
  const law =
    textOf(`<ACT><TITLE><TI><P>Rules on bins</P><P>of <DATE ISO="20240427">27 April 2024</DATE></P></TI></TITLE>
    <ENACTING.TERMS><DIVISION><TITLE><TI><P>CHAPTER I</P></TI><STI><P>Fines</P></STI></TITLE>
    <ARTICLE><TI.ART>Article 2</TI.ART><STI.ART><P>Amounts</P></STI.ART>
    <PARAG><NO.PARAG>1.</NO.PARAG><ALINEA><P>Fines are:</P><LIST><ITEM><NP><NO.P>(a)</NO.P><TXT>20 EUR for a bag,</TXT></NP></ITEM>
    <ITEM><NP><NO.P>(b)</NO.P><TXT>50 EUR for a bin<NOTE><P>OJ L 3</P></NOTE>.</TXT></NP></ITEM></LIST></ALINEA></PARAG></ARTICLE>
    <ARTICLE><TI.ART>Article 3</TI.ART><ALINEA>This act is binding in its entirety and applies to everybody.</ALINEA></ARTICLE>
    </DIVISION></ENACTING.TERMS></ACT>`);
  assert.equal(
    law,
    [
      '# Rules on bins of 27 April 2024',
      '## CHAPTER I Fines',
      '### Article 2 Amounts',
      '1. Fines are:',
      '- (a) 20 EUR for a bag,\n- (b) 50 EUR for a bin (OJ L 3).',
      '### Article 3',
      'This act is binding in its entirety and applies to everybody.',
    ].join('\n\n'),
  );
});

test('a German law has its parts and sections as headings, and its items with their numbers', () => {
  const norm = (metadata: string, words = '') =>
    `<norm><metadaten><jurabk>MüllG</jurabk>${metadata}</metadaten><textdaten><text><Content>${words}</Content></text></textdaten></norm>`;
  const part =
    '<gliederungskennzahl>010</gliederungskennzahl><gliederungsbez>Teil 1</gliederungsbez><gliederungstitel>Bußgelder</gliederungstitel>';
  const law = parseXml(
    `<dokumente>${norm('<kurzue>Müllgesetz</kurzue><langue>Gesetz über Müll</langue>')}
    ${norm(`<gliederungseinheit>${part}</gliederungseinheit>`)}
    ${norm('<enbez>§ 1</enbez><titel>Buße</titel>', '<P>(1) Buße zahlt, wer <DL><DT>1.</DT><DD><LA>Müll wirft oder</LA></DD><DT>2.</DT><DD><LA>Müll liegen lässt.</LA></DD></DL></P>')}
    ${norm('<enbez>§ 2</enbez>', '<P>Dieses Gesetz tritt morgen in Kraft.</P>')}</dokumente>`,
    [],
  );
  assert.equal(law.title, 'Gesetz über Müll (MüllG, Müllgesetz)');
  assert.equal(
    law.text,
    [
      '# Gesetz über Müll (MüllG, Müllgesetz)',
      '## Teil 1 Bußgelder',
      '### § 1 Buße',
      '(1) Buße zahlt, wer',
      '1. Müll wirft oder',
      '2. Müll liegen lässt.',
      '### § 2',
      'Dieses Gesetz tritt morgen in Kraft.',
    ].join('\n\n'),
  );
});

test('a law of Akoma Ntoso has its numbers, and its list begins with the words above the items', () => {
  const law =
    textOf(`<akomaNtoso><act><meta><analysis><new><text>article 9 was repealed</text></new></analysis></meta><body>
    <chapter><num>Capo I</num><heading>Principi</heading><article><num>Art. 1.</num><heading>Definizioni</heading>
    <paragraph><num>1.</num><list><intro><p>Si intende per:</p></intro>
    <point><num>a)</num><content><p>domicilio: un indirizzo;</p></content></point></list></paragraph>
    <paragraph><num>2.</num><content><p>Il termine è di <b>30</b> giorni.</p></content></paragraph></article></chapter></body></act></akomaNtoso>`);
  assert.equal(
    law,
    [
      '## Capo I Principi',
      '### Art. 1. Definizioni',
      '1. Si intende per:',
      '- a) domicilio: un indirizzo;',
      '2. Il termine è di 30 giorni.',
    ].join('\n\n'),
  );
});

test('a law of the United States Legislative Markup is prose, also without paragraphs', () => {
  const law = textOf(`<uscDoc><main><title><num value="5">Title 5—</num><heading>AGENCIES</heading>
    <section identifier="/us/usc/t5/s552"><num value="552">§ 552.</num><heading>Public records</heading>
    <subsection><num value="a">(a)</num><chapeau>Each agency shall—</chapeau>
    <paragraph><num value="1">(1)</num><content>answer within 20 days.</content></paragraph></subsection></section></title></main></uscDoc>`);
  assert.equal(
    law,
    ['## Title 5— AGENCIES', '### § 552. Public records', '(a) Each agency shall—', '(1) answer within 20 days.'].join(
      '\n\n',
    ),
  );
});

test('the number of a section, figure or formula stands before its heading or text', () => {
  const article =
    textOf(`<article><body><sec><label>2.</label><title>Results</title><p>The lake froze in the third winter of the war.</p>
    <fig><label>Figure 1</label><caption><p>The lake.</p></caption></fig><disp-formula><label>(1)</label><tex>x = 1</tex></disp-formula>
    </sec></body></article>`);
  assert.equal(
    article,
    ['## 2. Results', 'The lake froze in the third winter of the war.', 'Figure 1 The lake.', '(1) x = 1'].join('\n\n'),
  );
});
