/** Writes the binary files of demo/. Run it after their text was changed here, and commit the files. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOptions } from '../bench/support/options.ts';
import { makeDocx, makePdf, makeXlsx } from '../test/support/files/make-files.ts';

readOptions(import.meta.filename, {});

const AUTHOR = 'Tidewick Harbour Museum';

const conservationManual = makePdf({
  title: 'Conservation manual',
  author: AUTHOR,
  pages: [
    [
      '# Conservation manual',
      'Tidewick Harbour Museum, fourth edition',
      '',
      'This manual says how objects are kept, moved and cleaned. It binds all staff and',
      'volunteers. Questions go to the head of conservation, Odile Fevre.',
      '',
      '# 1 Handling',
      'Wear nitrile gloves for metal, lacquer and photographs. Handle paper with clean, dry',
      'hands and without gloves. Never lift an object by its handle or rim. Two people move',
      'anything that weighs more than 15 kilograms.',
      '',
      '# 2 Reporting damage',
      'Report damage on the day it is found, with a photograph and the accession number.',
      'Loose fragments are kept in a labelled bag with the object and are never glued in place.',
    ],
    [
      '# 3 Climate',
      'Keep the relative humidity of the textile store between 48 and 52 percent.',
      'Metal objects are stored below 35 percent relative humidity.',
      'The temperature of every store is 18 degrees Celsius, with at most 2 degrees of change',
      'within 24 hours. Data loggers record both values every ten minutes.',
      '',
      '# 4 Light',
      'Textiles, watercolours and logbooks are shown at no more than 50 lux.',
      'Oil paintings are shown at no more than 150 lux.',
      'Blinds of the upper gallery close by themselves at 400 lux outside light on the sill.',
    ],
    [
      '# 5 Pests',
      'Sticky traps stand along the walls of each store and are counted every second Monday.',
      'More than three webbing clothes moths in one trap start a quarantine of the room.',
      'Infested wool is frozen at minus 30 degrees Celsius for 72 hours.',
      '',
      '# 6 Fire and water',
      'The salvage list hangs beside each store door. The Halcyon figurehead, the pilot logbooks',
      'and the herring fleet painting are carried out first. After a flood, wet paper is frozen',
      'within 48 hours.',
    ],
  ],
});

const annualReport = makeDocx({
  title: 'Annual report 2025',
  author: AUTHOR,
  blocks: [
    { heading: 'Annual report 2025' },
    {
      paragraph:
        'In 2025 the museum showed two special exhibitions, reopened the rope-walk hall and climbed out of the deficit of the year before.',
    },
    { heading: 'Visitors', level: 2 },
    {
      paragraph:
        'In 2025 the museum welcomed 48,212 visitors, 11 percent more than in 2024. The lighthouse was climbed by 17,930 people. School classes made up 6,104 of all visits.',
    },
    {
      table: [
        ['Quarter', 'Visitors', 'Change'],
        ['January to March', '5,871', '+3 percent'],
        ['April to June', '13,406', '+9 percent'],
        ['July to September', '20,115', '+16 percent'],
        ['October to December', '8,820', '+8 percent'],
      ],
    },
    { heading: 'Exhibitions', level: 2 },
    {
      paragraph:
        'The exhibition "A Light on the Mole" told the story of the engineer Ellen Hartley and drew 21,300 visitors. "Salt and Tar" showed photographs of the rope works from 1930 to 1958.',
    },
    { heading: 'Staff and volunteers', level: 2 },
    {
      paragraph:
        'The museum employs 14 people. Its 63 volunteers gave 7,450 hours, most of them on the lighthouse stairs.',
    },
    { heading: 'Outlook', level: 2 },
    {
      list: [
        'The roof of the keeper’s cottage is renewed in spring 2026.',
        'The Fresnel lens is cleaned for the first time since 1987.',
        'A catalogue of the logbooks appears in autumn.',
      ],
    },
  ],
});

const budget = makeXlsx({
  sheets: [
    {
      name: 'Budget 2026',
      rows: [
        ['department', 'purpose', 'amount_eur', 'approved'],
        ['Conservation', 'Cleaning of the Fresnel lens', 38_500, new Date('2025-11-18T00:00:00Z')],
        ['Conservation', 'Data loggers for the stores', 6_200, new Date('2025-11-18T00:00:00Z')],
        ['Buildings', 'Roof of the keeper’s cottage', 91_000, new Date('2025-12-02T00:00:00Z')],
        ['Education', 'Workshops for school classes', 14_750, new Date('2025-11-18T00:00:00Z')],
        ['Library', 'Catalogue of the logbooks', 9_900, new Date('2025-12-02T00:00:00Z')],
      ],
    },
    {
      name: 'Grants',
      rows: [
        ['funder', 'purpose', 'amount_eur', 'paid'],
        ['Coastal Heritage Fund', 'Roof of the keeper’s cottage', 60_000, new Date('2026-01-20T00:00:00Z')],
        ['City of Tidewick', 'Operating grant', 310_000, new Date('2026-01-05T00:00:00Z')],
      ],
    },
  ],
});

const folder = join(import.meta.dirname, '..', 'demo');
await writeFile(join(folder, 'conservation-manual.pdf'), conservationManual);
await writeFile(join(folder, 'annual-report-2025.docx'), annualReport);
await writeFile(join(folder, 'budget-2026.xlsx'), budget);
