import { Link } from '@tanstack/react-router';
import {
  MEASURES,
  type Question,
  type RunDetails,
  relevantOf,
  type SetDetails,
} from '../../data/evaluation/evaluation.ts';
import { actionsColumn, DeleteButton } from '../../parts/row-parts.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { number } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import { Change } from './figures.tsx';

interface Row {
  id: string;
  query: string;
  /** Undefined: the question was deleted after the run. */
  question: Question | undefined;
  result: RunDetails['questions'][number] | undefined;
  other: RunDetails['questions'][number] | undefined;
}

interface QuestionsProps {
  set: SetDetails;
  run: RunDetails | undefined;
  other: RunDetails | undefined;
  remove(question: Question): void;
}

/** The questions with the measures of the run. */
export function Questions({ set, run, other, remove }: QuestionsProps) {
  return (
    <Table
      label={say('evaluation.questions')}
      rows={rowsOf(set, run, other)}
      keyOf={(row) => row.id}
      columns={columnsOf(set.id, remove)}
    />
  );
}

/** Returns the questions of the set, and behind them those of the run that were deleted since. */
function rowsOf(set: SetDetails, run: RunDetails | undefined, other: RunDetails | undefined): Row[] {
  const results = new Map(run?.questions.map((one) => [one.question_id, one]));
  const others = new Map(other?.questions.map((one) => [one.question_id, one]));
  const known = new Map(set.questions.map((question) => [question.id, question]));
  const gone = [...results.values()].filter((one) => !known.has(one.question_id));
  return [
    ...set.questions.map(({ id, query }) => ({ id, query })),
    ...gone.map(({ question_id: id, query }) => ({ id, query })),
  ].map((row) => ({ ...row, question: known.get(row.id), result: results.get(row.id), other: others.get(row.id) }));
}

function columnsOf(setId: string, remove: (question: Question) => void): Column<Row>[] {
  return [
    {
      id: 'question',
      title: say('evaluation.questions'),
      cell: ({ id, query, question }) =>
        question ? (
          <Link
            to="/evaluation/$id/$question"
            params={{ id: setId, question: id }}
            data-row
            title={query}
            className="block truncate font-medium"
          >
            <bdi>{query}</bdi>
          </Link>
        ) : (
          <span className="block truncate text-ink-3" title={say('evaluation.gone')}>
            <bdi>{query}</bdi> ({say('evaluation.gone')})
          </span>
        ),
    },
    {
      id: 'relevant',
      title: say('evaluation.judgedRelevant'),
      end: true,
      className: 'w-32 max-md:hidden',
      cell: ({ question }) =>
        question && (
          <span className={relevantOf(question) === 0 ? 'text-ink-3' : ''}>
            {number(relevantOf(question))} / {number(question.judgements.length)}
          </span>
        ),
    },
    ...MEASURES.map(
      (measure): Column<Row> => ({
        id: measure,
        title: say(`evaluation.${measure}`),
        end: true,
        className: measure === 'ndcg10' ? 'w-36' : 'w-36 max-lg:hidden',
        cell: ({ result, other }) =>
          result ? (
            <span className="inline-flex items-baseline gap-2">
              {other && <Change from={other[measure]} to={result[measure]} />}
              {number(result[measure], 3)}
            </span>
          ) : (
            <span className="text-ink-3">–</span>
          ),
      }),
    ),
    actionsColumn(
      'w-14',
      ({ question }) => question && <DeleteButton name={question.query} run={() => remove(question)} />,
    ),
  ];
}
