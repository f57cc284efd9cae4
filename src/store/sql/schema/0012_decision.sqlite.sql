-- Decisions: models of them, what each version offers, and every evaluation that an instance made.
--
-- What is deployed together has one deployment_id, so that a task can call the decision that came
-- with its process. Processes of earlier versions of the schema have none.

ALTER TABLE process_definition ADD COLUMN deployment_id INTEGER;

PRAGMA writable_schema = ON;

UPDATE sqlite_schema SET sql = replace(sql, 'CONSTRAINT process_definition_digest CHECK (',
  'CONSTRAINT process_definition_deployment CHECK (deployment_id > 0),
  CONSTRAINT process_definition_digest CHECK (')
WHERE type = 'table' AND name = 'process_definition';

UPDATE sqlite_schema SET sql = replace(sql, 'OR kind = ''compensation_failed'')',
  'OR kind = ''compensation_failed'' OR kind = ''decision_failed'')')
WHERE type = 'table' AND name = 'incident';

PRAGMA writable_schema = RESET;

-- A process comes in a deployment once.
CREATE UNIQUE INDEX process_definition_deployment_once
  ON process_definition (deployment_id, process_id) WHERE deployment_id IS NOT NULL;

DROP TRIGGER process_definition_immutable;
CREATE TRIGGER process_definition_immutable
BEFORE UPDATE OF id, tenant_id, process_id, version, kind, name, version_tag, resource_name, source,
  digest, deployed_at, deployment_id ON process_definition
BEGIN
  SELECT RAISE(ABORT, 'process_definition_immutable');
END;

-- One version of one decision model: a file with the files that it imports, which makes it whole.
CREATE TABLE decision_requirements (
  id INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  model_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  name TEXT NOT NULL,
  resource_name TEXT NOT NULL,
  source TEXT NOT NULL,
  imports TEXT NOT NULL,
  digest TEXT NOT NULL,
  deployment_id INTEGER NOT NULL,
  deployed_at INTEGER NOT NULL,
  CONSTRAINT decision_requirements_id CHECK (id > 0),
  CONSTRAINT decision_requirements_model_id CHECK (model_id <> ''),
  CONSTRAINT decision_requirements_version CHECK (version >= 1),
  CONSTRAINT decision_requirements_imports CHECK (
    json_valid(imports) AND substr(imports, 1, 1) = '['),
  CONSTRAINT decision_requirements_digest CHECK (length(digest) = 64),
  CONSTRAINT decision_requirements_deployment CHECK (deployment_id > 0)
) STRICT;

-- Serves: the latest version of a model.
CREATE UNIQUE INDEX decision_requirements_version_once
  ON decision_requirements (tenant_id, model_id, version);
CREATE UNIQUE INDEX decision_requirements_deployment_once
  ON decision_requirements (deployment_id, model_id);

CREATE TRIGGER decision_requirements_immutable BEFORE UPDATE ON decision_requirements
BEGIN
  SELECT RAISE(ABORT, 'decision_requirements_immutable');
END;

-- One version of one decision or decision service of a model.
CREATE TABLE decision_definition (
  id INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  decision_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  version_tag TEXT,
  requirements_id INTEGER NOT NULL REFERENCES decision_requirements (id),
  deployment_id INTEGER NOT NULL,
  deployed_at INTEGER NOT NULL,
  -- What an evaluation says of its decision is true: it refers to all three.
  CONSTRAINT decision_definition_named UNIQUE (id, decision_id, version),
  CONSTRAINT decision_definition_id CHECK (id > 0),
  CONSTRAINT decision_definition_decision_id CHECK (decision_id <> ''),
  CONSTRAINT decision_definition_version CHECK (version >= 1),
  CONSTRAINT decision_definition_kind CHECK (kind = 'decision' OR kind = 'service'),
  CONSTRAINT decision_definition_version_tag CHECK (version_tag <> ''),
  CONSTRAINT decision_definition_deployment CHECK (deployment_id > 0)
) STRICT;

-- Serves: the latest version of a decision.
CREATE UNIQUE INDEX decision_definition_version_once
  ON decision_definition (tenant_id, decision_id, version);
-- A decision comes in a deployment once; serves the look-up of what came with a process.
CREATE UNIQUE INDEX decision_definition_deployment_once
  ON decision_definition (deployment_id, decision_id);
-- Serves: the latest version with a tag.
CREATE INDEX decision_definition_tag
  ON decision_definition (tenant_id, decision_id, version_tag, version)
  WHERE version_tag IS NOT NULL;
-- Serves: the decisions of a model.
CREATE INDEX decision_definition_requirements ON decision_definition (requirements_id);

CREATE TRIGGER decision_definition_immutable BEFORE UPDATE ON decision_definition
BEGIN
  SELECT RAISE(ABORT, 'decision_definition_immutable');
END;

-- One evaluation by a step of an instance: what went in, which rules matched, what came out, and,
-- when it failed, why.
CREATE TABLE decision_evaluation (
  id INTEGER PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES process_instance (id),
  token_id INTEGER NOT NULL,
  step_id INTEGER NOT NULL,
  node_id TEXT NOT NULL,
  definition_id INTEGER NOT NULL,
  decision_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  inputs TEXT NOT NULL,
  output TEXT NOT NULL,
  matched_rules TEXT NOT NULL,
  evaluated TEXT NOT NULL,
  warnings TEXT NOT NULL,
  error TEXT,
  evaluated_at INTEGER NOT NULL,
  FOREIGN KEY (instance_id, token_id) REFERENCES token (instance_id, id),
  FOREIGN KEY (instance_id, step_id) REFERENCES step_record (instance_id, id),
  FOREIGN KEY (definition_id, decision_id, version)
    REFERENCES decision_definition (id, decision_id, version),
  CONSTRAINT decision_evaluation_id CHECK (id > 0),
  CONSTRAINT decision_evaluation_node_id CHECK (node_id <> ''),
  CONSTRAINT decision_evaluation_inputs CHECK (json_valid(inputs) AND inputs BETWEEN '{' AND '|'),
  CONSTRAINT decision_evaluation_output CHECK (json_valid(output)),
  CONSTRAINT decision_evaluation_matched_rules CHECK (
    json_valid(matched_rules) AND substr(matched_rules, 1, 1) = '['),
  CONSTRAINT decision_evaluation_evaluated CHECK (
    json_valid(evaluated) AND substr(evaluated, 1, 1) = '['),
  CONSTRAINT decision_evaluation_warnings CHECK (
    json_valid(warnings) AND substr(warnings, 1, 1) = '['),
  CONSTRAINT decision_evaluation_error CHECK (error <> '')
) STRICT;

-- Serves: the evaluations of an instance or of a step; and before a step goes, those that refer to
-- it are asked.
CREATE INDEX decision_evaluation_step ON decision_evaluation (instance_id, step_id);
CREATE INDEX decision_evaluation_token ON decision_evaluation (instance_id, token_id);

CREATE TRIGGER decision_evaluation_immutable BEFORE UPDATE ON decision_evaluation
BEGIN
  SELECT RAISE(ABORT, 'decision_evaluation_immutable');
END;

CREATE TRIGGER decision_evaluation_kept BEFORE DELETE ON decision_evaluation
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'decision_evaluation_kept');
END;
