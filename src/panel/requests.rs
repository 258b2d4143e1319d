//! Requests to judges.

use futures_util::future::join_all;

use super::settings::{JudgeEntry, Judging};
use super::simulated;
use crate::image::Pictures;
use crate::inference::{Caller, Client, ModelCall};
use crate::judge::reply::{JudgeFinding, parse_reply};
use crate::judge::{
    AggregatedVote, AggregationRule, Exchange, JudgePrompt, JudgePrompts, TurnHistory, Vote,
    VoteValue, items,
};
use crate::plan::Plan;
use crate::provider::{
    CallFailure, ContentPart, FailureKind, MessageImage, MessageRole, Parameters, Reply,
    ResponseSchema, StopReason,
};
use crate::template::TemplateFault;

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
        let items = items(plan, case.exchange);
        prompts.ask(&items, case.exchange, case.before, self.judging.options())
    }

    /// The aggregated votes on all items of a turn.
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
        let items = items(plan, case.exchange);
        if items.is_empty() || self.judges.is_empty() {
            return Ok(Vec::new());
        }
        let asked = if self.makes_calls() {
            let options = self.judging.options();
            match prompts.ask(&items, case.exchange, case.before, options) {
                Ok(asked) => asked,
                Err((name, fault)) => {
                    let why = format!("the template `{name}`, line {}: {fault}", fault.line);
                    return Err(CallFailure::permanent(why));
                }
            }
        } else {
            Vec::new()
        };
        let mut votes: Vec<Vec<Vote>> = vec![Vec::new(); items.len()];
        let repeats = 0..self.judging.repeats;
        let each = self.judges.iter().enumerate();
        let parts =
            each.flat_map(|(at, judge)| repeats.clone().map(move |repeat| (at, judge, repeat)));
        // Requests to the other judges are completed if one fails, since they are paid for.
        let said = join_all(parts.map(|(at, judge, repeat)| {
            let (items, asked) = (&items, &asked);
            async move {
                match judge {
                    PanelJudge::Simulated(name, misreads) => Ok(items
                        .iter()
                        .map(|item| {
                            let judge = (name.as_str(), *misreads);
                            simulated::vote(judge, repeat, item, case.exchange, case.at)
                        })
                        .collect::<Vec<Vote>>()),
                    PanelJudge::Model(caller) => {
                        let asked = (&asked[..], &plan.model.pictures);
                        let votes =
                            self.votes(client, (at, caller), repeat, items.len(), asked, case.at);
                        Ok(votes.await?.into_iter().zip(items).map(orient_vote).collect())
                    }
                }
            }
        }))
        .await;
        for said in said {
            for (votes, vote) in votes.iter_mut().zip(said?) {
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
            aggregated.simulated = crate::judge::is_simulated(name);
        }
    }

    /// The votes of one judge on all items.
    async fn votes(
        &self,
        client: &Client<'_>,
        (judge, caller): (usize, &Caller),
        repeat: u32,
        items: usize,
        (asked, pictures): (&[JudgePrompt], &Pictures),
        at: &str,
    ) -> Result<Vec<Vote>, CallFailure> {
        let nothing = Vote {
            judge: caller.model.name().to_owned(),
            repeat,
            value: VoteValue::Unreadable,
            no_is_good: false,
            why: None,
            reply: None,
        };
        let mut votes = vec![nothing; items];
        let sheets =
            asked.iter().enumerate().map(|(sheet, prompt)| {
                let at = format!("{at}/{judge}/{sheet}/{repeat}");
                async move {
                    (prompt, self.findings(client, caller, (prompt, pictures), repeat, &at).await)
                }
            });
        for (prompt, found) in join_all(sheets).await {
            let found = found?;
            for (at, item) in prompt.items.iter().enumerate() {
                let Some(vote) = votes.get_mut(*item) else { continue };
                match &found {
                    Ok(findings) => {
                        let Some(JudgeFinding { value, why }) = findings.get(at) else { continue };
                        vote.value = *value;
                        vote.why = why.clone();
                    }
                    Err((why, reply)) => {
                        vote.why = Some(why.clone());
                        vote.reply = Some(reply.clone());
                    }
                }
            }
        }
        Ok(votes)
    }

    /// The findings of a judge on one prompt, or its last reply and why it is
    /// unreadable.
    async fn findings(
        &self,
        client: &Client<'_>,
        caller: &Caller,
        (prompt, pictures): (&JudgePrompt, &Pictures),
        repeat: u32,
        at: &str,
    ) -> Result<Result<Vec<JudgeFinding>, (String, String)>, CallFailure> {
        let mut conversation = caller.model.conversation(Some(prompt.system));
        if !self.judging.plain {
            conversation.expect(ResponseSchema { name: "verdict", schema: prompt.schema() });
        }
        let mut parts = Vec::new();
        for (reported, image) in &prompt.pictures {
            parts.push(ContentPart::Text(reported.clone()));
            parts.push(ContentPart::Image(MessageImage::load(image, pictures)?));
        }
        parts.push(ContentPart::Text(prompt.user.clone()));
        conversation.push(MessageRole::User, &parts);
        let mut last = (String::new(), String::new());
        for attempt in 0..self.judging.tries.max(1) {
            let at = format!("{at}/{attempt}");
            // A different number makes the repeated request a different one.
            let sample = repeat + attempt * self.judging.repeats;
            let call = ModelCall { at: &at, conversation: &conversation, sample, simulation: None };
            let reply = client.ask(caller, call).await.map_err(|failure| match failure.kind {
                FailureKind::Stopped => failure,
                _ => CallFailure { message: format!("the judge {failure}"), ..failure },
            })?;
            match findings(&reply, prompt) {
                Ok(findings) => return Ok(Ok(findings)),
                Err(why) => {
                    // No API accepts an empty message.
                    if !reply.text.trim().is_empty() {
                        conversation.push_text(MessageRole::Assistant, &reply.text);
                        conversation.push_text(MessageRole::User, &prompt.retry_message(&why));
                    }
                    last = (format!("its reply cannot be read: {why}"), reply.text);
                }
            }
        }
        Ok(Err(last))
    }
}

fn findings(reply: &Reply, prompt: &JudgePrompt) -> Result<Vec<JudgeFinding>, String> {
    match reply.stop {
        Some(StopReason::Length) => Err("it was cut at the token limit".to_owned()),
        Some(StopReason::Filter) => Err("the endpoint filtered it".to_owned()),
        Some(StopReason::End | StopReason::Other(_)) | None => {
            parse_reply(&reply.text, prompt.wanted, &prompt.code)
        }
    }
}

/// A vote on a question that passes with no is inverted.
fn orient_vote((vote, item): (Vote, &crate::judge::JudgeItem<'_>)) -> Vote {
    let value = match vote.value {
        VoteValue::Yes if item.question.is_no_good => VoteValue::No,
        VoteValue::No if item.question.is_no_good => VoteValue::Yes,
        value => value,
    };
    Vote { value, no_is_good: value != vote.value, ..vote }
}
