import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readingOrder } from '../../reading-order.ts';
import { attribute, findElements, readXml } from '../../xml/tree.ts';
import { placesOf } from './places.ts';

const at = (x: number, y: number, height: number) =>
  `<p:spPr><a:xfrm><a:off x="${x}" y="${y}"/><a:ext cx="10" cy="${height}"/></a:xfrm></p:spPr>`;
const shape = (name: string, inside: string) => `<p:sp name="${name}">${inside}</p:sp>`;

function order(slide: string, layout = ''): string {
  const shapes = readingOrder(findElements(readXml(slide), 'sp'), placesOf([readXml(layout)]));
  return shapes.map((found) => attribute(found, 'name')).join(' ');
}

test('the shapes of a slide are read from top to bottom, and from left to right within a row', () => {
  const slide = [
    shape('foot', at(0, 900, 50)),
    shape('right', at(500, 190, 300)),
    shape('head', at(0, 0, 100)),
    shape('left', at(0, 200, 300)),
  ];
  assert.equal(order(slide.join('')), 'head left right foot');
});

test('a placeholder without a place of its own gets the place from its layout', () => {
  const slide = [shape('body', '<p:nvPr><p:ph idx="1"/></p:nvPr>'), shape('box', at(0, 100, 50)), shape('behind', '')];
  const layout = shape('', `<p:nvPr><p:ph idx="1"/></p:nvPr>${at(0, 500, 50)}`);
  assert.equal(order(slide.join(''), layout), 'box behind body');
});
