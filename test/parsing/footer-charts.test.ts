/** Tests of charts in the footers of Word files. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { makeDocx } from '../support/files/make-files.ts';
import { readBytes } from '../support/files/process-bytes.ts';

test('a chart in the footer of a Word file is read', async () => {
  const parts = unzipSync(makeDocx({ blocks: [{ paragraph: 'Report' }] }));
  const links = (id: string, type: string, target: string) =>
    strToU8(`<Relationships><Relationship Id="${id}" Type="urn:x/${type}" Target="${target}"/></Relationships>`);
  parts['word/_rels/document.xml.rels'] = links('f', 'footer', 'footer1.xml');
  parts['word/_rels/footer1.xml.rels'] = links('c', 'chart', 'charts/chart1.xml');
  parts['word/footer1.xml'] = strToU8(
    '<w:ftr><w:p><w:r><w:drawing><a:graphicData><c:chart r:id="c"/></a:graphicData></w:drawing></w:r></w:p></w:ftr>',
  );
  parts['word/charts/chart1.xml'] = strToU8(
    '<c:chartSpace><c:chart><c:plotArea><c:barChart><c:ser><c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>North</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>8</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>',
  );
  assert.equal((await readBytes('a.docx', zipSync(parts))).text, 'Report\n\nBar chart\n\nNorth 8');
});
