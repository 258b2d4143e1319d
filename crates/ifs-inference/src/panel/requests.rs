//! Requests to judges.

use futures_util::future::join_all;

use super::settings::{JudgeEntry, Judging};
use super::simulated;
use crate::provider::{
    CallFailure, ContentPart, Conversation, FailureKind, MessageImage, MessageRole, Parameters,
    Reply, ResponseSchema, StopReason,
};
use crate::{Caller, Client, ModelCall};
use ifs_judge::reply::{JudgeFinding, parse_reply};
use ifs_judge::{
    AggregatedVote, AggregationRule, Exchange, JudgeItem, JudgePrompt, JudgePrompts, TurnHistory,
    Vote, VoteValue, items,
};
use ifs_parts::template::TemplateFault;
use ifs_plan::Plan;

/// The judges and their settings.
pub struct Panel {
    pub judges: Vec<PanelJudge>,
    pub judging: Judging,
}

pub enum PanelJudge {
    /// A simulated judge's name, and its probability of misreading.
    Simulated(String, f64),
    Model(Box<Caller>),
}

/// A response to judge.
#[derive(Clone, Copy)]
pub struct JudgedResponse<'a> {
    pub exchange: &'a Exchange<'a>,
    /// The history of the model under test.
    pub before: TurnHistory<'a>,
    /// The response's place in the journal: the prefix of the places of its requests.
    pub at: &'a str,
}

impl Panel {
    /// The simulated judge with this name, if it is one; an invalid probability is an error.
    pub fn simulated(name: &str) -> Option<Result<PanelJudge, &str>> {
        let misreads = simulated::misreading(name)?;
        Some(misreads.map(|misreads| PanelJudge::Simulated(name.to_owned(), misreads)))
    }

    /// A panel with only the simulated judge.
    pub fn simulated_alone() -> Panel {
        let name = "sim/judge".to_owned();
        let entry = JudgeEntry { model: name.clone(), address: None, same_family: false };
        let judging = Judging {
            judges: vec![entry],
            rule: AggregationRule::default(),
            repeats: 1,
            tries: 1,
            apart: false,
            plain: false,
            without_pictures: false,
            history: None,
            parameters: Parameters::default(),
        };
        Panel { judges: vec![PanelJudge::Simulated(name, 0.0)], judging }
    }

    /// Whether the panel sends requests.
    pub fn makes_calls(&self) -> bool {
        self.judges.iter().any(|judge| matches!(judge, PanelJudge::Model(_)))
    }

    /// The prompts of a turn for each judge that is a model, without sending them.
    pub fn prompts(
        &self,
        plan: &Plan,
        prompts: &JudgePrompts<'_>,
        case: &JudgedResponse<'_>,
    ) -> Result<Vec<JudgePrompt>, (String, TemplateFault)> {
        let items = items(plan, case.exchange, &[]);
        prompts.ask(&items, case.exchange, case.before, self.judging.options())
    }

    /// The aggregated votes on all items of a turn. Requirements that come after others are asked
    /// about when those are judged, and not at all if one of them was missed.
    ///
    /// # Errors
    /// Returns the infrastructure error of a failed request.
    pub async fn rule(
        &self,
        client: &Client<'_>,
        plan: &Plan,
        prompts: &JudgePrompts<'_>,
        case: &JudgedResponse<'_>,
    ) -> Result<Vec<AggregatedVote>, CallFailure> {
        let mut aggregated: Vec<AggregatedVote> = Vec::new();
        if self.judges.is_empty() {
            return Ok(aggregated);
        }
        let mut sheets = 0;
        loop {
            let mut open = items(plan, case.exchange, &aggregated);
            open.retain(|item| !item.waits);
            if open.is_empty() {
                return Ok(aggregated);
            }
            let turn = TurnRequests { plan, prompts, case, items: &open, sheets };
            let asked = if self.makes_calls() {
                let options = self.judging.options();
                let asked = prompts.ask(&open, case.exchange, case.before, options);
                asked.map_err(template_failure)?
            } else {
                Vec::new()
            };
            aggregated.extend(self.rule_items(client, &turn, &asked).await?);
            sheets += asked.len();
        }
    }

    /// The aggregated votes on these items.
    async fn rule_items(
        &self,
        client: &Client<'_>,
        turn: &TurnRequests<'_>,
        asked: &[JudgePrompt],
    ) -> Result<Vec<AggregatedVote>, CallFailure> {
        let TurnRequests { case, items, .. } = turn;
        let mut votes: Vec<Vec<Vote>> = vec![Vec::new(); items.len()];
        let repeats = 0..self.judging.repeats;
        let each = self.judges.iter().enumerate();
        let parts =
            each.flat_map(|(at, judge)| repeats.clone().map(move |repeat| (at, judge, repeat)));
        // Requests to the other judges are completed if one fails, since they are paid for.
        let replies = join_all(parts.map(|(at, judge, repeat)| async move {
            match judge {
                PanelJudge::Simulated(name, misreads) => Ok(items
                    .iter()
                    .map(|item| {
                        let judge = (name.as_str(), *misreads);
                        simulated::vote(judge, repeat, item, case.exchange, case.at)
                    })
                    .collect::<Vec<Vote>>()),
                PanelJudge::Model(caller) => {
                    let votes = self.votes(client, turn, (at, caller), repeat, asked);
                    Ok(votes.await?.into_iter().zip(*items).map(orient_vote).collect())
                }
            }
        }))
        .await;
        for reply in replies {
            for (votes, vote) in votes.iter_mut().zip(reply?) {
                votes.push(vote);
            }
        }
        let ruled = items.iter().zip(votes).map(|(item, votes)| {
            let mut aggregated = AggregatedVote::aggregate(
                &item.name,
                votes,
                self.judging.rule,
                item.question.scale.as_ref(),
            );
            self.trim(&mut aggregated);
            aggregated
        });
        Ok(ruled.collect())
    }

    /// The only vote of a simulated judge repeats the outcome, so it is kept only if it is a mark.
    fn trim(&self, aggregated: &mut AggregatedVote) {
        if let [PanelJudge::Simulated(name, misreads)] = &self.judges[..]
            && *misreads == 0.0
            && aggregated.votes.len() == 1
            && !matches!(aggregated.votes[0].value, VoteValue::Mark(_))
        {
            aggregated.why = aggregated.votes.pop().and_then(|vote| vote.why);
            aggregated.simulated = ifs_judge::is_simulated(name);
        }
    }

    /// The votes of one judge on all items.
    async fn votes(
        &self,
        client: &Client<'_>,
        turn: &TurnRequests<'_>,
        (judge, caller): (usize, &Caller),
        repeat: u32,
        asked: &[JudgePrompt],
    ) -> Result<Vec<Vote>, CallFailure> {
        let nothing = Vote {
            judge: caller.model.name().to_owned(),
            repeat,
            value: VoteValue::Unreadable,
            no_is_good: false,
            why: None,
            reply: None,
        };
        let mut votes = vec![nothing; turn.items.len()];
        let sheets = asked.iter().enumerate().map(|(sheet, prompt)| {
            let at = format!("{}/{judge}/{}/{repeat}", turn.case.at, turn.sheets + sheet);
            async move { (prompt, self.findings(client, turn, caller, prompt, repeat, &at).await) }
        });
        for (prompt, findings) in join_all(sheets).await {
            for (item, finding) in prompt.items.iter().zip(findings?) {
                let Some(vote) = votes.get_mut(*item) else { continue };
                match finding {
                    Ok(JudgeFinding { value, why }) => {
                        vote.value = value;
                        vote.why = why;
                    }
                    Err(UnreadableReply { why, reply }) => {
                        vote.why = Some(format!("its reply cannot be read: {why}"));
                        vote.reply = Some(reply);
                    }
                }
            }
        }
        Ok(votes)
    }

    /// The findings of a judge on the items of a prompt. If its reply cannot be read, each question
    /// is asked again by itself, in a simpler form.
    async fn findings(
        &self,
        client: &Client<'_>,
        turn: &TurnRequests<'_>,
        caller: &Caller,
        prompt: &JudgePrompt,
        repeat: u32,
        at: &str,
    ) -> Result<Vec<Result<JudgeFinding, UnreadableReply>>, CallFailure> {
        let mut conversation = self.conversation(turn, caller, prompt)?;
        if !self.judging.plain {
            conversation.expect(ResponseSchema { name: "verdict", schema: prompt.schema() });
        }
        let first =
            JudgeRequest { at: &format!("{at}/0"), conversation: &conversation, sample: repeat };
        let (reply, findings) = self.read_reply(client, caller, first, prompt).await?;
        let why = match findings {
            Ok(findings) => return Ok(findings.into_iter().map(Ok).collect()),
            Err(why) => why,
        };
        let limit = raised_limit(&reply, caller, None);
        let first = UnreadableReply { why, reply: reply.text };
        let again = prompt.items.iter().enumerate().map(|(number, item)| {
            let at = match prompt.items.len() {
                1 => at.to_owned(),
                _ => format!("{at}/q{}", number + 1),
            };
            let first = first.clone();
            async move {
                self.ask_simply(client, turn, caller, (*item, repeat), &at, (first, limit)).await
            }
        });
        join_all(again).await.into_iter().collect()
    }

    /// The finding on one item, asked in a simpler form until a reply can be read. A reply that was
    /// cut is requested with a higher limit.
    async fn ask_simply(
        &self,
        client: &Client<'_>,
        turn: &TurnRequests<'_>,
        caller: &Caller,
        (item, repeat): (usize, u32),
        at: &str,
        (mut last, mut limit): (UnreadableReply, Option<u64>),
    ) -> Result<Result<JudgeFinding, UnreadableReply>, CallFailure> {
        let TurnRequests { prompts, case, items, .. } = turn;
        if self.judging.tries <= 1 {
            return Ok(Err(last));
        }
        let options = self.judging.options();
        let prompt = prompts.ask_simply(items, item, case.exchange, case.before, options);
        let Some(prompt) = prompt.map_err(template_failure)? else { return Ok(Err(last)) };
        let mut conversation = self.conversation(turn, caller, &prompt)?;
        for attempt in 1..self.judging.tries {
            conversation.raise_limit(limit);
            // A different number makes the repeated request a different one.
            let sample = repeat + attempt * self.judging.repeats;
            let at = format!("{at}/{attempt}");
            let request = JudgeRequest { at: &at, conversation: &conversation, sample };
            let (reply, findings) = self.read_reply(client, caller, request, &prompt).await?;
            match findings {
                Ok(findings) => {
                    let Some(finding) = findings.into_iter().next() else { break };
                    return Ok(Ok(finding));
                }
                Err(why) => {
                    limit = raised_limit(&reply, caller, limit).or(limit);
                    // No API accepts an empty message, and a reply that was cut says nothing.
                    if !reply.text.trim().is_empty() && reply.stop != Some(StopReason::Length) {
                        conversation.push_text(MessageRole::Assistant, &reply.text);
                        conversation.push_text(MessageRole::User, &prompt.retry_message(&why));
                    }
                    last = UnreadableReply { why, reply: reply.text };
                    // The same request would be refused again.
                    if !reply.refusal.is_empty() {
                        break;
                    }
                }
            }
        }
        Ok(Err(last))
    }

    fn conversation(
        &self,
        turn: &TurnRequests<'_>,
        caller: &Caller,
        prompt: &JudgePrompt,
    ) -> Result<Conversation, CallFailure> {
        let mut conversation = caller.model.conversation(Some(prompt.system));
        let mut parts = Vec::new();
        for (reported, image) in &prompt.pictures {
            parts.push(ContentPart::Text(reported.clone()));
            parts.push(ContentPart::Image(MessageImage::load(image, &turn.plan.model.pictures)?));
        }
        parts.push(ContentPart::Text(prompt.user.clone()));
        conversation.push(MessageRole::User, &parts);
        Ok(conversation)
    }

    /// A reply, and its findings or why it cannot be read.
    async fn read_reply(
        &self,
        client: &Client<'_>,
        caller: &Caller,
        request: JudgeRequest<'_>,
        prompt: &JudgePrompt,
    ) -> Result<(Reply, Result<Vec<JudgeFinding>, String>), CallFailure> {
        let JudgeRequest { at, conversation, sample } = request;
        let call = ModelCall { at, conversation, sample, simulation: None };
        let reply = client.ask(caller, call).await.map_err(|failure| match failure.kind {
            FailureKind::Stopped => failure,
            _ => CallFailure { message: format!("the judge {failure}"), ..failure },
        })?;
        let findings = findings(&reply, prompt);
        Ok((reply, findings))
    }
}

/// The items of a response that are judged together.
struct TurnRequests<'a> {
    plan: &'a Plan,
    prompts: &'a JudgePrompts<'a>,
    case: &'a JudgedResponse<'a>,
    items: &'a [JudgeItem<'a>],
    /// The number of prompts of earlier items, which makes the places of requests unique.
    sheets: usize,
}

struct JudgeRequest<'a> {
    at: &'a str,
    conversation: &'a Conversation,
    sample: u32,
}

/// The last reply of a judge, and why it cannot be read.
#[derive(Clone)]
struct UnreadableReply {
    why: String,
    reply: String,
}

fn template_failure((name, fault): (String, TemplateFault)) -> CallFailure {
    CallFailure::permanent(format!("the template `{name}`, line {}: {fault}", fault.line))
}

/// How much higher the limit is after a reply that was cut, and the limit if none is known.
const RAISE: u64 = 4;
const UNKNOWN_LIMIT: u64 = 4_096;

/// The limit for the next request, after a reply that was cut at the last one.
fn raised_limit(reply: &Reply, caller: &Caller, last: Option<u64>) -> Option<u64> {
    let declared = caller.model.max_tokens().or(reply.usage.output);
    let reached = last.or(declared).unwrap_or(UNKNOWN_LIMIT).max(1);
    (reply.stop == Some(StopReason::Length)).then(|| reached.saturating_mul(RAISE))
}

fn findings(reply: &Reply, prompt: &JudgePrompt) -> Result<Vec<JudgeFinding>, String> {
    match reply.stop {
        Some(StopReason::Length) => Err("it was cut at the token limit".to_owned()),
        Some(StopReason::Filter) => Err("the endpoint filtered it".to_owned()),
        Some(StopReason::ContextLength) => {
            Err("the question does not fit into the context window of the judge".to_owned())
        }
        Some(StopReason::End | StopReason::Missing | StopReason::Other(_)) | None => {
            parse_reply(&reply.text, prompt.wanted, &prompt.code)
        }
    }
}

/// A vote on a question that passes with no is inverted.
fn orient_vote((vote, item): (Vote, &ifs_judge::JudgeItem<'_>)) -> Vote {
    let value = match vote.value {
        VoteValue::Yes if item.question.is_no_good => VoteValue::No,
        VoteValue::No if item.question.is_no_good => VoteValue::Yes,
        value => value,
    };
    Vote { value, no_is_good: value != vote.value, ..vote }
}
